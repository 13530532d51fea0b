/** Words of which a text may say another than the question does. */
import { fold } from "./Words.ts"

/** Folded: a word of a question, then what a text may say in its place. */
const kin: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  `birth born birthplace
death dead die died dying killed
spouse wife husband married marry
child son daughter
parent father mother
grandfather father son
grandmother mother daughter
film movie
song single track album
performer perform sung singer artist band
director direct
composer compose music score
author write wrote written writer
founder found establish
nationality nation country
country located state province
city town located
university college school educated
older oldest younger youngest born
headquarter based located
capital seat city
population inhabitant people
release come premier publish
musician singer band rapper guitarist drummer bassist pianist songwriter vocalist dj
writer author novelist poet playwright screenwriter
novelist author writer novel
actor actress starring
actress actor starring
artist painter sculptor singer musician
band group duo trio quartet rock
author writer novelist poet
airline airway
company corporation manufacturer
animal species dog breed bird fish
plant species genus flower shrub tree
magazine periodical publication journal
play played player
dog breed
business company entrepreneur
often frequent every
produce product
install installation
differ difference
use using usage
own owner ownership`
    .split("\n")
    .flatMap((line) => {
      const group = line.split(" ").map(fold)
      const [head = ""] = group
      return [[head, group] as const]
    })
)

/** Whether a set of terms holds `term`, or one that says the same. */
export const kindred = (held: { readonly has: (term: string) => boolean }, term: string): boolean =>
  held.has(term) || (kin.get(term)?.some((other) => held.has(other)) ?? false)
