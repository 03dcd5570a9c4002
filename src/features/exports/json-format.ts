/* The JSON export (docs/exporting.md), with one event per line, and NDJSON, where each line is such an event. */
import { shownOutcome } from '../../core/answers/model.ts';
import { sha256 } from '../../core/encoding/sha256.ts';
import { joinHeaders } from '../../core/headers.ts';
import { bodyLiteral, encodingOf } from '../../core/json/output.ts';
import { apiVersion } from '../../core/limits.ts';
import type { ExportedEvent, FileFormat } from './file-format.ts';

export const jsonFile: FileFormat = {
  head: ({ endpoint, exportedAt }) => `{${fields({ version: apiVersion, exportedAt, endpoint })},"events":[\n`,

  *event({ id, row, path, query, headers, headersJson, body }: ExportedEvent) {
    const { receivedAt, method, eventType, platform, pin, tags, size, outcome, redacted } = row;
    const encoding = encodingOf(body);
    yield `{${fields({ id, receivedAt, method, path, query })},"headers":${JSON.stringify(joinHeaders(headers))},"rawHeaders":${headersJson},${fields(
      {
        eventType,
        platform,
        size,
        sha256: Buffer.from(sha256(body)).toString('hex'),
      },
    )},"payloadRaw":`;
    yield* bodyLiteral(body, encoding);
    yield `,${fields({ payloadEncoding: encoding, pin, tags, ...shownOutcome(outcome), redacted })}}`;
  },

  separator: ',\n',
  tail: damaged => `\n]${damaged ? `,${fields({ damaged })}` : ''}}\n`,
};

/** The object's fields as JSON, without the braces. */
const fields = (object: Record<string, unknown>): string => JSON.stringify(object).slice(1, -1);

/** https://github.com/ndjson/ndjson-spec */
export const ndjsonFile: FileFormat = {
  head: () => '',
  *event(event, subject) {
    yield* jsonFile.event(event, subject);
    yield '\n';
  },
  separator: '',
  tail: damaged => (damaged ? `${JSON.stringify({ damaged })}\n` : ''),
};
