/** `staterag/testing`: the product in memory, scripted roles, and the contract as a check for roles of one's own. */
export { RoleFailed } from "./domain/Errors.ts"
export * from "./layers/Testing.ts"
export * as RoleContract from "./programs/RoleContract.ts"
