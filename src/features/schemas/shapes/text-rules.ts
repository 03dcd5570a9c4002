/*
 * What a schema may state about texts: formats that all of them have, and small enums. An enum shows values, so only words like
 * `paid` or `payment.failed` can be in one, and never in a field that may hold something personal or secret.
 */

/** Bits of `Shape.formats`, with the names of JSON Schema. A text has at most one. */
export const formats = { 'date-time': 1, date: 2, uuid: 4, email: 8, uri: 16 } as const;
export const allFormats = 31;

/** Longer texts have no format. */
export const maxFormatCharacters = 2048;
export const maxWords = 8;
const maxWordCharacters = 32;
const minEnumTexts = 10;
/** Each word must have been seen this many times on average. */
const minRepetition = 3;

const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/;
const dateTimeForm =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const emailForm = /^[a-z0-9_%+-]+(?:\.[a-z0-9_%+-]+)*@[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)+$/i;
const uriForm =
  /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:[/?](?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?(?:#(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = dateForm.exec(text) ?? [];
  if (year === undefined) return false;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
}

/** The format of a text as a bit, 0 for none. */
export function formatOf(text: string): number {
  if (text.length > maxFormatCharacters) return 0;
  // The first character decides what is worth trying.
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) {
    if (isDate(text)) return formats.date;
    const date = dateTimeForm.exec(text)?.[1];
    if (date !== undefined) return isDate(date) ? formats['date-time'] : 0;
  }
  if (text.length === 36 && uuidForm.test(text)) return formats.uuid;
  if (text.startsWith('http')) return uriForm.test(text) ? formats.uri : 0;
  return text.length <= 254 && text.includes('@') && emailForm.test(text) ? formats.email : 0;
}

export const formatName = (bits: number): string | undefined =>
  Object.entries(formats).find(([, bit]) => bit === bits)?.[0];

const wordForm = /^[a-z]+(?:[._:-][a-z]+)*\d{0,2}$/;

/** Whether a text may be one of an enum. */
export const isWord = (text: string): boolean => text.length <= maxWordCharacters && wordForm.test(text);

/** Whether these words are an enum, if `texts` texts have been seen. */
export const isEnum = (words: ReadonlySet<string>, texts: number): boolean =>
  words.size > 0 && words.size <= maxWords && texts >= Math.max(minEnumTexts, minRepetition * words.size);

const list = (words: string): Set<string> => new Set(words.trim().split(/\s+/));

/** Parts of field names whose texts are never shown. */
const personalParts = list(`
  account accounts address addresses alias approver assignee author avatar bearer birth birthday bio body card cell cert certificate
  city code comment commenter company content cookie country county credential credentials credit cvc cvv description district dob domain
  email emails ethnicity family fax file filename fingerprint first firstname forename gender given handle hash headline health host
  hostname hostnames iban id identifier identity ids ip ips key keys label last lastname lat latitude line login logins lon longitude
  mail maiden manager mention mentions message middle mobile msisdn name names nationality nick nickname note notes otp owner
  pass passphrase password passwords path phone phones pin place postal postcode private query race ref region religion reporter
  reviewer screenname search secret secrets session sessions sex sha signature slug ssn street subject subtitle suburb summary surname
  tax tel telephone text title token tokens town uid uri url urls user username users uuid vat zip zipcode`);
/** Objects that describe people or places, or have any content: only their fields that name a choice are shown. */
const personParts = list(`
  actor address addresses assignee author billing billto buyer cardholder client collaborator commenter committer contact creator credentials customer
  customers doctor driver employee geo guest location manager member metadata organizer owner participant passenger patient payer people person persons
  player profile pusher recipient recipients reporter requester requestor reviewer sender seller shipping shipto signer student
  subscriber user users visitor`);
/** Last parts of field names that name a choice. */
const choiceParts = list('kind mode object plan role scope source status tier type verified');

/** `billingAddress_2` -> `billing`, `address`, `2`. */
const partsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(part => part !== '');

/**
 * Whether texts of a field may be shown as an enum.
 * @param names the names of the fields on the way to it, its own last
 */
export function mayBeEnum(names: readonly string[]): boolean {
  const own = partsOf(names.at(-1) ?? '');
  const last = own.at(-1);
  if (last === undefined) return false;
  if (choiceParts.has(last)) return true;
  return (
    !own.some(part => personalParts.has(part)) && !names.some(name => partsOf(name).some(part => personParts.has(part)))
  );
}

const idForms = [
  /^\d+$/,
  uuidForm,
  /^(?=.*\d)[0-9a-f]{8,}$/i,
  /^[a-z]{1,8}[_-](?=(?:[a-z]*\d){2})[a-z0-9]{8,}$/i,
  /^(?=(?:\D*\d){4})[\w.:-]{8,}$/,
  /[@/\\]/,
];

/** Whether a key looks like an id, an address or a file, and not like the name of a field. */
export const looksLikeId = (key: string): boolean => idForms.some(form => form.test(key));

/** Whether a key is an address of a person: it is not stored. */
export const looksLikeAddress = (key: string): boolean => /\S@\S/.test(key);
