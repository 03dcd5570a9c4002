/* The NDJSON export (https://github.com/ndjson/ndjson-spec): each line is an event in the shape of the JSON export. */
import type { FileFormat } from './file-format.ts';
import { jsonFile } from './json-format.ts';

export const ndjsonFile: FileFormat = {
  head: () => '',
  *event(event, subject) {
    yield* jsonFile.event(event, subject);
    yield '\n';
  },
  separator: '',
  tail: damaged => (damaged ? `${JSON.stringify({ damaged })}\n` : ''),
};
