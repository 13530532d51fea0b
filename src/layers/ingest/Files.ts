/** What the file system says, in words that follow a file's name. */
import type { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Option } from "effect"

/** Why a file could not be read, and what to do. */
export const explain = (error: PlatformError): string => {
  if (error._tag === "BadArgument") return `cannot be read: ${error.message}`
  switch (error.reason) {
    case "NotFound":
      return "is gone: it was removed or renamed while it was being indexed"
    case "PermissionDenied":
      return "may not be read: change its permissions, or leave it out with --exclude"
    default:
      return `cannot be read: ${error.description ?? error.message}`
  }
}

/** Milliseconds since the epoch; 0 where the file system keeps no times. */
export const modifiedAt = (info: FileSystem.File.Info): number =>
  Option.match(info.mtime, { onNone: () => 0, onSome: (date) => date.getTime() })

const kinds: { readonly [T in FileSystem.File.Type]: string } = {
  File: "a file",
  Directory: "a folder",
  SymbolicLink: "a link",
  BlockDevice: "a device",
  CharacterDevice: "a device",
  FIFO: "a named pipe",
  Socket: "a socket",
  Unknown: "something else"
}

export const notRegular = (type: FileSystem.File.Type): string => `is ${kinds[type]}, not a regular file`

/** `bytes` in MiB, for reading. */
export const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
