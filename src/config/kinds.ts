/* The kinds of values. A problem is the rest of "NAME must be ..." and never repeats the text: it may be a secret. */

import { checkPassword } from '../core/access/password.ts';
import { type AllowEntry, isHostName, parseAllowEntry } from '../core/network/allow-list.ts';
import { parseS3Location, type S3Location } from '../core/network/s3-location.ts';
import { isPlainText, readEmail } from '../core/text.ts';
import { type Cidr, parseAddress, parseCidr } from '../shared/addresses.ts';
import { maxPasswordBytes } from '../shared/limits.ts';
import { parseDuration, parseSize } from '../shared/units.ts';

export type Parsed<T> = { readonly value: T } | { readonly mustBe: string };
export type Kind<T> = (text: string) => Parsed<T>;

const check =
  <T>(parse: (text: string) => T | undefined, mustBe: string): Kind<T> =>
  text => {
    const value = parse(text);
    return value === undefined ? { mustBe } : { value };
  };

const wholeNumber = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined;

export const anyText: Kind<string> = text => ({ value: text });

export const count = ({ min, max }: { min: number; max: number }): Kind<number> =>
  check(text => within(wholeNumber(text), min, max), `a whole number from ${min} to ${max}`);

export const port: Kind<number> = text => {
  if (/^(tcp|udp):\/\//.test(text)) {
    return {
      mustBe:
        'a port number; Kubernetes sets this variable for a service named "hooktape": ' +
        'rename the service or set enableServiceLinks: false',
    };
  }
  return count({ min: 0, max: 65535 })(text);
};

export const oneOf = <const T extends string>(...values: readonly T[]): Kind<T> =>
  check(text => values.find(value => value === text.toLowerCase()), `one of ${values.join(', ')}`);

export const onOff: Kind<boolean> = check(text => {
  if (['on', 'true'].includes(text.toLowerCase())) return true;
  return ['off', 'false'].includes(text.toLowerCase()) ? false : undefined;
}, 'on or off');

/** `min` and `max` are written as an operator would write them. With a `min` of `0`, the value `0` means "no limit". */
export function duration({ min, max }: { min: string; max: string }): Kind<number> {
  const [low = 0, high = 0] = [parseDuration(min), parseDuration(max)];
  return check(
    text => within(parseDuration(text), low, high),
    `a duration such as 30s, 15m, 12h or 7d, ${min} to ${max}`,
  );
}

export function size({ min, max }: { min: string; max: string }): Kind<number> {
  const [low = 0, high = 0] = [parseSize(min), parseSize(max)];
  return check(text => within(parseSize(text), low, high), `a size such as 512KiB or 32MiB, ${min} to ${max}`);
}

/** A host to listen on; `[::]` and `::` are equivalent. */
export const listenHost: Kind<string> = check(text => {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  return parseAddress(host) || isHostName(host.toLowerCase()) ? host : undefined;
}, 'an IP address or a host name');

/** An origin: scheme, host and port of http or https. One trailing slash is accepted. */
export const origin: Kind<string> = check(text => {
  const url = URL.parse(text);
  const isOrigin =
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) &&
    url.pathname === '/';
  return isOrigin ? url.origin : undefined;
}, 'an origin such as https://hooks.example.com: http or https, no path, no query, no user');

/** A URL of http or https that the server requests. `hooktape config` shows it. */
export const httpUrl: Kind<string> = check(text => {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined;
}, 'an http or https URL without a user name or password');

export const s3Location: Kind<S3Location> = check(
  parseS3Location,
  's3://BUCKET or s3://BUCKET/PREFIX, such as s3://tapes/hooktape',
);

/** `file:` with a relative or absolute path whose percent escapes can be undone; no host. */
function isFileUrl(text: string): boolean {
  try {
    return /^file:(?!\/\/[^/])[^?#]+$/.test(text) && decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

export const databaseUrl: Kind<string> = text => {
  if (isFileUrl(text)) {
    // SQLite does not treat this as a file name: each thread would get its own database in memory.
    const isMemory = decodeURIComponent(text) === 'file::memory:';
    return isMemory ? { mustBe: 'an on-disk database file (in-memory databases lose events)' } : { value: text };
  }
  const url = URL.parse(text);
  if (!url || !/^(https?|wss?|libsql):$/.test(url.protocol) || url.host === '') {
    return { mustBe: 'a URL with file:, http://, https://, ws://, wss:// or libsql://' };
  }
  // `hooktape config` and error messages show the URL.
  return url.username || url.password || url.searchParams.has('authToken')
    ? { mustBe: 'a URL without credentials; put the token into HOOKTAPE_DATABASE_AUTH_TOKEN' }
    : { value: text };
};

/** Applies the rules for accounts here: otherwise the owner would be refused only after the database was opened. */
const accepted =
  (rule: (text: string) => string): ((text: string) => string | undefined) =>
  text => {
    try {
      return rule(text);
    } catch {
      return undefined;
    }
  };

export const email: Kind<string> = check(accepted(readEmail), 'an email address like name@example.com');

/** An email address, alone or as `Name <name@example.com>`. */
export const mailbox: Kind<string> = check(text => {
  const [, name, address] = /^([^<>"\\,;:@()[\]]*?)\s*<([^<>]+)>$/.exec(text) ?? [text, '', text];
  const read = accepted(readEmail)(address ?? '');
  if (read === undefined || !isPlainText(name ?? '')) return undefined;
  return name ? `${name} <${read}>` : read;
}, 'an email address like name@example.com or Name <name@example.com>');

/** A mail server, with the user and the password. */
export const smtpUrl: Kind<string> = check(text => {
  const url = URL.parse(text);
  if (!url || !/^smtps?:\/\/[^/?#\s\\]+\/?$/i.test(text) || url.hostname === '') return undefined;
  try {
    decodeURIComponent(url.username + url.password);
    return text;
  } catch {
    return undefined;
  }
}, 'a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com');

export const password: Kind<string> = check(
  accepted(checkPassword),
  `at least 12 characters and at most ${maxPasswordBytes} bytes long, and not easy to guess`,
);

export const bearerToken: Kind<string> = check(
  text => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
  'visible ASCII characters without spaces',
);

const list =
  <T>(parse: (item: string) => T | undefined, items: string): Kind<readonly T[]> =>
  text => {
    const parsed = text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
      .map(item => ({ item, value: parse(item) }));
    const bad = parsed.filter(({ value }) => value === undefined).map(({ item }) => JSON.stringify(item));
    if (bad.length > 0) return { mustBe: `a comma-separated list of ${items}; invalid: ${bad.join(', ')}` };
    return { value: parsed.flatMap(({ value }) => (value === undefined ? [] : [value])) };
  };

/** Headers of HTTP itself, of browsers and of proxies: they never name a person. */
const otherHeaders =
  /^(?:(?:accept|access-control|content|if|proxy|sec|set-cookie)(?:-.*)?|authorization|cookie2?|connection|date|expect|forwarded|host|keep-alive|last-event-id|origin|range|referer|te|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-(?:for|host|port|proto)|x-real-ip)$/;

/** In lower case. */
export const personHeader: Kind<string> = check(text => {
  const name = text.toLowerCase();
  return /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/.test(name) && !otherHeaders.test(name) ? name : undefined;
}, 'the name of a header that only a proxy sets, such as Remote-Email');

export const cidrs: Kind<readonly Cidr[]> = list(parseCidr, 'addresses or CIDRs such as 10.0.0.0/8');
export const allowEntries: Kind<readonly AllowEntry[]> = list(
  parseAllowEntry,
  'hosts, host:port, addresses or CIDRs such as localhost:3000, 10.0.0.0/8, [fd00::1]:8080',
);
