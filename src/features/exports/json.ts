/* The JSON export (interface "Export files"), one event a line. */
import { joinHeaders } from '../../core/headers.ts';
import { apiVersion } from '../../core/limits.ts';
import { bodyLiteral, encodingOf } from './body-text.ts';
import type { ExportedEvent, FileFormat } from './format.ts';

export const jsonFile: FileFormat = {
  head: ({ endpoint, exportedAt }) => `{${fields({ version: apiVersion, exportedAt, endpoint })},"events":[\n`,

  *event({ id, row, path, query, headers, body }: ExportedEvent) {
    const encoding = encodingOf(body);
    const { receivedAt, method, eventType, platform, size } = row;
    yield `{${fields({
      id,
      receivedAt,
      method,
      path,
      query,
      headers: joinHeaders(headers),
      rawHeaders: headers,
      eventType,
      platform,
      size,
      sha256: Buffer.from(row.sha256).toString('hex'),
    })},"payloadRaw":`;
    yield* bodyLiteral(body, encoding);
    yield `,"payloadEncoding":"${encoding}"}`;
  },

  separator: ',\n',
  tail: '\n]}\n',
};

/** An object's inside as JSON. */
const fields = (object: Record<string, unknown>): string => JSON.stringify(object).slice(1, -1);
