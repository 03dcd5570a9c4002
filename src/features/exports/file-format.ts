/* What a file format is: text before, for each, between and after the events. */
import type { Answer } from '../../core/answer.ts';
import type { HeaderPair } from '../../core/headers.ts';
import type { Piece } from '../../core/json-output.ts';
import type { Endpoint } from '../endpoints/model.ts';
import type { ExportRow } from './store.ts';

export type ExportedEvent = {
  id: string;
  row: ExportRow;
  headers: readonly HeaderPair[];
  /** The same as JSON. */
  headersJson: string;
  body: Uint8Array;
};

export type FileSubject = {
  endpoint: Endpoint;
  exportedAt: number;
  /** Of this program. */
  version: string;
  /** What the sender of an event that arrived here was answered. */
  answer: (event: ExportedEvent) => Answer;
};

/** Events that the disk has altered, and that are not in the file: how many, and the first thousand. */
export type DamagedEvents = { count: number; ids: string[] };

export type FileFormat = {
  head: (subject: FileSubject) => string;
  event: (event: ExportedEvent, subject: FileSubject) => Iterable<Piece>;
  separator: string;
  tail: (damaged: DamagedEvents | undefined) => string;
};
