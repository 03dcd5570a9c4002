/* What an export file format defines: the text before, between and after the events, and the text of each event. */
import type { DeliveryResponse } from '../../core/delivery-response.ts';
import type { Piece, Verbatim } from '../../core/json/output.ts';
import type { Endpoint } from '../endpoints/model.ts';
import type { ExportContent, ExportRow } from './store.ts';

export type ExportedEvent = ExportContent & { id: string; row: Omit<ExportRow, 'content'> };

export type FileSubject = {
  endpoint: Endpoint;
  exportedAt: number;
  /** Hooktape's version. */
  version: string;
  /** The response that the sender got. Imported events have none. */
  answer: (event: ExportedEvent) => DeliveryResponse;
};

/** Events that the file leaves out because they are damaged on disk: their number, and the ids of the first thousand. */
export type DamagedEvents = { count: number; ids: string[] };

export type FileFormat = {
  head: (subject: FileSubject) => string;
  event: (event: ExportedEvent, subject: FileSubject) => Iterable<Piece | Verbatim>;
  separator: string;
  tail: (damaged: DamagedEvents | undefined) => string;
};
