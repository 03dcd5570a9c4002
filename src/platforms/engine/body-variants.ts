/* What some senders sign in place of the raw body; a platform's own variant is in its file. */
import { type DeliveryReader, firstFormValue } from './delivery-reader.ts';

/** The JSON text in the field `payload` of the form or the query. */
export function* payloadField(reader: DeliveryReader): Generator<Uint8Array> {
  const inForm = firstFormValue(reader.form(), 'payload');
  if (inForm !== undefined) yield Buffer.from(inForm, 'utf8');
  const inQuery = reader.query().get('payload');
  if (inQuery !== undefined) yield Buffer.from(inQuery, 'utf8');
}
