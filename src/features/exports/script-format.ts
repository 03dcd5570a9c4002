/*
 * The export as a shell script that sends the events again with curl: bodies in base64, and method, target, header names, order
 * and values byte for byte as they came. `send-events.txt` is the part that is the same in every script. Each event is a command
 * group, so that a shell runs no part of it if the file is cut off in the middle.
 */

import { connectionFields, connectionOptions, type HeaderPair, isCredentialHeader } from '../../core/headers.ts';
import type { ExportedEvent, FileFormat } from './file-format.ts';
import sendEvents from './send-events.txt' with { type: 'text' };

/** Headers that curl sets itself. */
const ownHeaders = new Set<string>([...connectionFields, 'host', 'content-length', 'expect']);
/** Headers that curl adds unless an option prevents it. */
const curlHeaders = ['User-Agent', 'Accept'];
/** Without a body, these methods send no Content-Length, and all others send 0. */
const bodilessMethods = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

const maxLabelCharacters = 200;
/** Base64 has no underscore. */
const endOfBody = '_';
/** 76 characters, the most that `openssl base64` takes. */
const lineBytes = 57;
const pieceBytes = 512 * lineBytes;

export const scriptFile: FileFormat = {
  head: ({ endpoint, exportedAt, version }) => `#!/bin/sh
# Sends the events of Hooktape's endpoint ${label(endpoint.id, maxLabelCharacters)} again, oldest first:
#
#   sh service-${label(endpoint.id, maxLabelCharacters)}.sh [URL]
#
# URL is where to, by default the endpoint itself. What was captured of path and query is appended to it. Each request
# prints a line that ends with the status. The script exits with 0 when every answer was 2xx, with 1 when one was not,
# and with 2 when it cannot run.
#
# Credentials in Authorization, Cookie and Proxy-Authorization are not stored, so they are not sent. CURL_CONFIG may name
# a file with further options for curl, such as: header = "Authorization: Bearer ..."
#
# Written ${new Date(exportedAt).toISOString()} by Hooktape ${label(version, maxLabelCharacters)}. Needs curl 7.55 or newer, and base64 or openssl.

endpoint=${shellWord(endpoint.url)}

${sendEvents}`,

  *event({ id, row: { method }, path, query, headers, body }: ExportedEvent) {
    const target = query === null ? path : `${path}?${query}`;
    const name = `${id} ${method} ${target}`.trimEnd();
    yield `{ send ${shellWord(label(name, maxLabelCharacters))} ${shellWord(path)} ${shellWord(query === null ? '' : `?${query}`)}`;
    for (const option of methodOptions(method, body)) yield ` ${option}`;
    for (const option of headerOptions(headers, hasData(method, body))) yield ` -H ${shellWord(option)}`;
    if (body.length === 0) yield ' </dev/null; }\n';
    else {
      yield ` <<'${endOfBody}'\n`;
      yield* base64Lines(body);
      yield `${endOfBody}\n}\n`;
    }
  },

  separator: '',
  tail: damaged =>
    `${damaged ? `complain ${shellWord(`${damaged.count} events are damaged on disk and not in this script, such as ${damaged.ids[0]}`)}\n` : ''}finish\n`,
};

const hasData = (method: string, body: Uint8Array): boolean => body.length > 0 || !bodilessMethods.has(method);

function methodOptions(method: string, body: Uint8Array): string[] {
  if (!hasData(method, body)) {
    if (method === 'GET') return [];
    return method === 'HEAD' ? ['-I'] : [`-X ${shellWord(method)}`];
  }
  const data = [`-X ${shellWord(method)}`, '--data-binary @-'];
  // A response to HEAD has no body. curl knows that only for a HEAD request without a body; with one, it reads until the
  // connection closes.
  return method === 'HEAD' ? [...data, '--ignore-content-length --raw', `-H 'Connection: close'`] : data;
}

/** Header lines for curl. */
function headerOptions(headers: readonly HeaderPair[], isWithData: boolean): string[] {
  const ofConnection = connectionOptions(headers);
  const sent = headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !(ownHeaders.has(lower) || isCredentialHeader(lower) || ofConnection.has(lower));
  });
  const names = new Set(sent.map(([name]) => name.toLowerCase()));
  const removed = [...curlHeaders, ...(isWithData ? ['Content-Type'] : [])].filter(
    name => !names.has(name.toLowerCase()),
  );
  return [
    ...removed.map(name => `${name}:`),
    // For curl, a header without a value is one to remove.
    ...sent.map(([name, value]) => (/^[\t ]*$/.test(value) ? `${name};` : `${name}: ${value}`)),
  ];
}

function* base64Lines(body: Uint8Array): Generator<string> {
  for (let start = 0; start < body.length; start += pieceBytes) {
    const text = Buffer.from(body.subarray(start, start + pieceBytes)).toString('base64');
    yield `${text.replace(/.{76}(?=.)/g, '$&\n')}\n`;
  }
}

const printable = /^[\x20-\x7e]*$/;

/**
 * One word of a POSIX shell, in plain ASCII without control characters: nothing in captured text can end it, be expanded, or reach the
 * terminal of a person who reads the script.
 * @param text one character for each byte, without NUL; must not end with a line feed */
export function shellWord(text: string): string {
  if (printable.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"$(printf %b '${text.replace(/[^ !#&(-[\]-_a-~]/g, escapeByte)}')"`;
}

/** Always three octal digits: fewer would take a digit that follows. */
const escapeByte = (character: string): string => `\\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;

/** Text for people, with everything that is not printable percent-encoded, cut to `maxCharacters`. */
export function label(text: string, maxCharacters: number): string {
  const start = text.slice(0, maxCharacters);
  const shown = start.replace(
    /[^\x20-\x7e]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return start === text ? shown : `${shown}...`;
}
