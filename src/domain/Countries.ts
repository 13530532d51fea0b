/** To which country a text says that someone or something belongs. */

/** Country = words for what belongs to it, as expressions; regions that name their country stand beside it. */
const countries: ReadonlyArray<readonly [string, string]> =
  `united states=american|united states|u\\.s\\.(?:a\\.)?|usa|hollywood
united kingdom=british(?! columbia)|english|scottish|welsh|northern irish|united kingdom|great britain|(?<!new )england|scotland|(?<!south )wales|northern ireland|u\\.k\\.
france=french|france
germany=german|germany|prussian?
italy=italian|italy
spain=spanish|spain|catalan|catalonia
india=indian(?! ocean)|india|bollywood|tamil|telugu|malayalam|kannada|hindi|punjabi|bengali
china=chinese|china
japan=japanese|japan
russia=russian|russia|soviet
canada=canadian|canada
australia=australian|australia
brazil=brazilian|brazil
mexico=mexican|(?<!new )mexico
argentina=argentine|argentinian|argentina
sweden=swedish|sweden
norway=norwegian|norway
denmark=danish|denmark
finland=finnish|finland
iceland=icelandic|iceland
netherlands=dutch|netherlands
belgium=belgian|belgium|flemish
luxembourg=luxembourgish|luxembourg
austria=austrian|austria
switzerland=swiss|switzerland
poland=polish|poland
hungary=hungarian|hungary
greece=greek|greece
turkey=turkish|turkey|ottoman
iran=iranian|persian|iran
iraq=iraqi|iraq
israel=israeli|israel
egypt=egyptian|egypt
syria=syrian|syria
lebanon=lebanese|lebanon
jordan=jordanian
saudi arabia=saudi
kuwait=kuwaiti|kuwait
qatar=qatari|qatar
yemen=yemeni|yemen
afghanistan=afghan|afghanistan
ireland=(?<!northern )irish|(?<!northern )ireland
portugal=portuguese|portugal
romania=romanian|romania
moldova=moldovan|moldova
bulgaria=bulgarian|bulgaria
serbia=serbian|serbia
croatia=croatian|croatia
slovenia=slovenian|slovene|slovenia
slovakia=slovak|slovakia
bosnia=bosnian|bosnia
montenegro=montenegrin|montenegro
macedonia=macedonian|macedonia
albania=albanian|albania
kosovo=kosovan|kosovar|kosovo
yugoslavia=yugoslav|yugoslavia
czech republic=czech(?:oslovak|oslovakia)?
estonia=estonian|estonia
latvia=latvian|latvia
lithuania=lithuanian|lithuania
belarus=belarusian|belarus
ukraine=ukrainian|ukraine
georgia=georgian
armenia=armenian|armenia
azerbaijan=azerbaijani|azerbaijan(?! province)
kazakhstan=kazakh(?:stani)?|kazakhstan
uzbekistan=uzbek|uzbekistan
tajikistan=tajik|tajikistan
kyrgyzstan=kyrgyz|kyrgyzstan
south korea=(?<!north )korean|(?<!north )korea
north korea=north korean?
taiwan=taiwanese|taiwan
hong kong=hong kong
mongolia=mongolian|mongolia
pakistan=pakistani|pakistan
bangladesh=bangladeshi|bangladesh
sri lanka=sri lankan?|ceylon
nepal=nepalese|nepali|nepal
burma=burmese|burma|myanmar
thailand=thai|thailand
vietnam=vietnamese|vietnam
cambodia=cambodian|cambodia
malaysia=malaysian|malaysia
singapore=singaporean|singapore
indonesia=indonesian|indonesia
philippines=filipino|philippines?
new zealand=new zealand(?:er)?
papua new guinea=papua new guinean?
fiji=fijian|fiji
south africa=south african?
nigeria=nigerian|nigeria
ghana=ghanaian|ghana
kenya=kenyan|kenya
uganda=ugandan|uganda
tanzania=tanzanian|tanzania
ethiopia=ethiopian|ethiopia
somalia=somali|somalia
sudan=sudanese|sudan
morocco=moroccan|morocco
algeria=algerian|algeria
tunisia=tunisian|tunisia
libya=libyan|libya
senegal=senegalese|senegal
mali=malian|mali
cameroon=cameroonian|cameroon
ivory coast=ivorian|ivory coast
congo=congolese|congo
angola=angolan|angola
mozambique=mozambican|mozambique
zimbabwe=zimbabwean|zimbabwe
zambia=zambian|zambia
madagascar=malagasy|madagascar
cape verde=cape verdean?
cuba=cuban|cuba
jamaica=jamaican|jamaica
haiti=haitian|haiti
dominican republic=dominican
puerto rico=puerto rican?
trinidad=trinidadian|trinidad
chile=chilean|chile
colombia=colombian|colombia
peru=peruvian|peru
venezuela=venezuelan|venezuela
ecuador=ecuadorian|ecuador
bolivia=bolivian|bolivia
uruguay=uruguayan|uruguay
paraguay=paraguayan|paraguay
costa rica=costa rican?
panama=panamanian|panama
guatemala=guatemalan|guatemala
honduras=honduran|honduras
nicaragua=nicaraguan|nicaragua
el salvador=salvadoran|el salvador
antigua=antiguan|antigua
barbados=barbadian|barbados
bahamas=bahamian|bahamas
malta=maltese|malta
cyprus=cypriot|cyprus
monaco=mon[eé]gasque|monaco
liechtenstein=liechtenstein
laos=laotian|laos
bhutan=bhutanese|bhutan
maldives=maldivian|maldives
mauritius=mauritian|mauritius
namibia=namibian|namibia
botswana=botswanan?
rwanda=rwandan|rwanda
burundi=burundian|burundi
malawi=malawian|malawi
eritrea=eritrean|eritrea
gabon=gabonese|gabon
benin=beninese|benin
togo=togolese|togo
niger=nigerien|niger
chad=chadian
burkina faso=burkinab[eé]|burkina faso
liberia=liberian|liberia
sierra leone=sierra leonean|sierra leone
gambia=gambian|gambia
suriname=surinamese|suriname
guyana=guyanese|guyana
belize=belizean|belize
emirates=emirati|united arab emirates
oman=omani|oman
bahrain=bahraini|bahrain
palestine=palestinian|palestine
turkmenistan=turkmen|turkmenistan`
    .split("\n")
    .map((line) => line.split("="))
    .map(([name = "", words = ""]) => [name, words] as const)

/** Regions by which a text says its country without naming it. */
const regions: ReadonlyArray<readonly [string, string]> = [
  [
    "united states",
    "alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|wisconsin|wyoming"
  ],
  ["canada", "ontario|quebec|british columbia|alberta|manitoba|saskatchewan|nova scotia|new brunswick"],
  ["australia", "new south wales|queensland|south australia|western australia|tasmania"],
  ["united kingdom", "london|yorkshire|lancashire|cornwall|devon|surrey|essex|suffolk|norfolk"],
  [
    "india",
    "kerala|tamil nadu|karnataka|maharashtra|gujarat|rajasthan|bihar|odisha|west bengal|uttar pradesh|andhra pradesh"
  ]
]

const expression = (entries: ReadonlyArray<readonly [string, string]>) => ({
  any: new RegExp(`(?<![\\p{L}])(?:${entries.map(([, words]) => words).join("|")})(?![\\p{L}])`, "giu"),
  each: entries.map(([name, words]) => [name, new RegExp(`^(?:${words})$`, "iu")] as const)
})
const named = expression(countries)
const lying = expression(regions)

export interface Belonging {
  readonly country: string
  /** As the text writes it. */
  readonly text: string
  readonly offset: number
}

const inside = (text: string, { any, each }: typeof named): ReadonlyArray<Belonging> =>
  [...text.matchAll(any)].flatMap((match) => {
    // what looks around the word is asked of the text, so the word alone is enough here
    const country = each.find(([, words]) => words.test(match[0]))?.[0]
    return country === undefined || !/^[\p{Lu}]/u.test(match[0])
      ? []
      : [{ country, text: match[0], offset: match.index }]
  })

/** Brackets blanked out, offsets kept: what they hold is where somebody was born rather than of which country they are. */
const withoutBrackets = (text: string): string => text.replace(/\([^()]*\)/gu, (bracket) => " ".repeat(bracket.length))

/** The first of them and what follows it at once: French-American, German-born British. */
const joined = (text: string, [first, ...others]: ReadonlyArray<Belonging>): ReadonlyArray<Belonging> => {
  const kept = first === undefined ? [] : [first]
  for (const one of others) {
    const last = kept[kept.length - 1]
    if (last === undefined || !/^(?:[\s-]|-born\s)$/u.test(text.slice(last.offset + last.text.length, one.offset)))
      break
    kept.push(one)
  }
  return kept
}

/** The countries that a text says something belongs to: the first that it says outright, with those joined to it (French-American). */
export const belongings = (text: string): ReadonlyArray<Belonging> => {
  const plain = withoutBrackets(text)
  for (const [where, words] of [
    [plain, named],
    [text, named],
    [plain, lying]
  ] as const) {
    const found = inside(where, words)
    if (found.length > 0) return joined(text, found)
  }
  return []
}

/** Whether a name says only of which country something is. */
export const isBelonging = (name: string): boolean => inside(name, named)[0]?.text.length === name.length

/** Whether a text says, anywhere, that something is of a country. */
export const isOf = (text: string, { country }: Belonging): boolean =>
  inside(text, named).some((one) => one.country === country) ||
  inside(text, lying).some((one) => one.country === country)
