/* Ids, times and signatures: values that differ between any two events. A number counts only if its name says so. Pure. */

const idNames =
  /(?:^|[_.\- ])(?:ids?|uuid|guid|nonce|token|etag|sig|digest|sha1|sha256|hash|checksum|traceparent|cursor)$|[a-z](?:Ids?|Uuid|Guid|Nonce|Token|Hash)$|signature|hmac|idempotency/;
const timeNames =
  /(?:^|[_.\- ])(?:at|on|ts|iat|exp|nbf|time|timestamp|date|created|updated|modified|expires|since|until)$|[a-z](?:At|Time|Timestamp|Date)$/;

const shapes = [
  // An ISO date with a time, and the date of HTTP.
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/,
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  // `evt_1Nxyz8`, `req-01h9…`: a short word, then letters and digits.
  /^[a-z]{2,12}[_-](?:[a-z]{2,8}[_-])?(?=[A-Za-z]*\d)[A-Za-z0-9]{8,64}$/,
  /^(?:sha(?:1|256|512)[=:-])?[0-9a-f]{16,128}$/i,
  // The parts of a signature header: `t=1700000000,v1=5257a8…`.
  /^(?:[a-z]\w{0,9}=[\w+/=.-]+,\s*)+[a-z]\w{0,9}=[\w+/=.-]+$/i,
  /^v\d[,=:][A-Za-z0-9+/_=-]{20,}$/,
  // A JWT, a ULID, and the base64 of a digest.
  /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/,
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i,
  /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/_-]{27,86}={0,2}$/,
];

const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text);
const maxCharacters = 2000;

/** @param name the key or the name of the header; empty without one @param before the value without quotes */
export function looksLikeIdOrTime(name: string, before: string, after: string): boolean {
  const values = [before, after];
  if (values.some(value => value.length > maxCharacters || value === '')) return false;
  if (idNames.test(name) || idNames.test(name.toLowerCase())) return values.every(value => !/\s\S+\s/.test(value));
  const isTime = timeNames.test(name);
  return values.every(value => (isNumber(value) ? isTime && isEpoch(value) : shapes.some(shape => shape.test(value))));
}

/** From 2001 to 2096, in seconds, milliseconds, microseconds or nanoseconds. */
const isEpoch = (text: string): boolean => /^[1-3]\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?$/.test(text);
