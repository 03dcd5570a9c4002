/*
 * The CSV export (RFC 4180): a header line, then one line for each event. The columns are named like the fields of the JSON export. A
 * value that is null is an empty cell, and an empty text is `""`. Columns are only ever added, at the end.
 */
import { isUtf8 } from 'node:buffer';
import { shownOutcome } from '../../core/answers/model.ts';
import { sha256 } from '../../core/encoding/sha256.ts';
import { joinHeaders } from '../../core/headers.ts';
import { base64Pieces } from '../../core/json/output.ts';
import { hasControls, longTextCell, textCell } from './csv-cells.ts';
import type { ExportedEvent, FileFormat } from './file-format.ts';

const columns = [
  'id',
  'receivedAt',
  'method',
  'path',
  'query',
  'platform',
  'eventType',
  'size',
  'sha256',
  'pinName',
  'pinNote',
  'pinnedAt',
  'tags',
  'headers',
  'payloadEncoding',
  'payloadRaw',
  'answeredStatus',
  'answeredRule',
  'answeredFault',
  'refused',
  'redacted',
] as const;
const columnsAfterPayload = columns.length - 1 - columns.indexOf('payloadRaw');

const cell = (value: string | number | null): string =>
  value === null ? '' : typeof value === 'number' ? String(value) : textCell(value);
const time = (at: number): string => new Date(at).toISOString();

function* base64Cell(body: Uint8Array): Generator<string> {
  let isFirst = true;
  for (const piece of base64Pieces(body)) {
    // The first may begin with a plus sign.
    yield isFirst ? textCell(piece) : piece;
    isFirst = false;
  }
}

export const csvFile: FileFormat = {
  head: () => `${columns.join(',')}\r\n`,

  *event({ id, row, path, query, headers, body }: ExportedEvent) {
    const { receivedAt, method, platform, eventType, size, pin, tags, outcome, redacted } = row;
    const { answered, refused } = shownOutcome(outcome);
    const isText = isUtf8(body) && !hasControls(body);
    const cells = [
      id,
      time(receivedAt),
      method,
      path,
      query,
      platform,
      eventType,
      size,
      Buffer.from(sha256(body)).toString('hex'),
      pin?.name ?? null,
      pin?.note ?? null,
      pin && time(pin.pinnedAt),
      tags.length > 0 ? JSON.stringify(tags) : null,
      JSON.stringify(joinHeaders(headers)),
      isText ? 'utf8' : 'base64',
    ];
    yield `${cells.map(cell).join(',')},`;
    if (isText) yield* longTextCell(body);
    else yield* base64Cell(body);
    const last = [answered.status, answered.rule, answered.fault, refused, redacted && JSON.stringify(redacted)];
    yield `,${last.map(cell).join(',')}\r\n`;
  },

  separator: '',
  tail: damaged =>
    (damaged?.ids ?? [])
      .map(id => `${id}${','.repeat(columns.indexOf('payloadEncoding'))}damaged,${','.repeat(columnsAfterPayload)}\r\n`)
      .join(''),
};
