/** Building blocks of patterns for streets. All are sources of regular expressions with the flag `u`. */

export const STREET_TYPE = String.raw`(?:Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Drive|Dr|Lane|Ln|Parkway|Pkwy|Freeway|Frwy|Fwy|Expressway|Expwy|Tollway|Turnpike|Highway|Hwy|(?<!(?:Treatment|Municipal|County|District|Community|Supreme|Commissioners|Appellate|Tennis|Food) )Court|Ct|Circle|Cir|Trail|Trl|Way|Place|Pl|Plaza|Terrace|Loop|Row|Alley|Pike|Crossing|Xing|Run|Square|Path|Cove|Bend|Pass|Mall|Service Road)\b\.?`;

const DIRECTION = String.raw`(?:North(?:east|west)?|South(?:east|west)?|East|West|[NSEW]|[NS][EW])\b\.?`;
const NAME_WORD = String.raw`(?:(?:\d{1,3}(?:st|nd|rd|th))|[A-Z][\p{L}\d'’.-]{0,30})`;
const SMALL = String.raw`(?:de|la|del|y)`;

/** Roads known by a number: an interstate, a state highway, a farm-to-market road. */
export const NUMBERED_ROAD = String.raw`(?:Interstate(?: Highway)?|I\.?H\.?|State Highway|U\.?S\.?(?: Highway)?)[ -]?\d{1,3}[EW]? (?:Frontage|Service) Road|(?:Interstate(?: Highway)?|I\.?H\.?|(?:U\.?S\.? |State |Texas )?(?:Highway|Hwy\.?)(?: Spur)?|U\.?S\.?|S\.?H\.?|State Loop|Spur|Loop|(?:Farm[- ]to[- ]Market|F\.?M\.?)(?: Road)?)[ -]?(?:No\. )?\d{1,4}[NSEW]?\b|I-\d{2,3}[EW]?\b|LBJ Freeway|Lyndon B\. Johnson Freeway`;

/** A street by its name and type, such as "East Jefferson Boulevard" or "Martin Luther King, Jr. Boulevard". */
export const STREET = String.raw`(?:${NUMBERED_ROAD}|(?:${NAME_WORD} ){1,2}(?:Highway|Loop|Spur) \d{1,4}[A-Z]?\b|(?:${DIRECTION} )?${NAME_WORD}(?:,? (?:${NAME_WORD}|${SMALL})){0,4}? ${STREET_TYPE}(?: (?:North|South|East|West)\b)?)`;

/** A street where the words around it say that it is one, so that its type may be missing. */
export const STREET_OR_NAME = String.raw`(?:${STREET}|(?:${DIRECTION} )?${NAME_WORD}(?: ${NAME_WORD}){0,3})`;

/** Two streets that share the word for what they are, as in "Armstrong and Cole Avenues". */
export const PLURAL_STREET = String.raw`(?:${NAME_WORD} ){1,4}(?:Streets|Avenues|Roads|Drives|Boulevards|Lanes|Freeways|Highways|Expressways|Parkways|Courts)\b`;
