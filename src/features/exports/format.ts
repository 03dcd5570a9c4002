/* What a file format is: text before, for each, between and after the events. */
import type { HeaderPair } from '../../core/headers.ts';
import type { Endpoint } from '../endpoints/model.ts';
import type { ExportRow } from './store.ts';

export type ExportedEvent = {
  id: string;
  row: ExportRow;
  path: string;
  query: string | null;
  headers: HeaderPair[];
  body: Uint8Array;
};

export type FileSubject = {
  endpoint: Endpoint;
  exportedAt: number;
  /** Of this program. */
  version: string;
};

export type FileFormat = {
  head: (subject: FileSubject) => string;
  /** One event in one piece or several. */
  event: (event: ExportedEvent, subject: FileSubject) => Iterable<string>;
  separator: string;
  tail: string;
};
