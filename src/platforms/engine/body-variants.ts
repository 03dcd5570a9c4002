/* The texts that some senders sign instead of the raw body. A variant of a single platform is in that platform's file. */
import { type DeliveryReader, firstFormValue } from './delivery-reader.ts';

/** The JSON text in the field `payload` of the form or the query. */
export function* payloadField(reader: DeliveryReader): Generator<Uint8Array> {
  const inForm = firstFormValue(reader.form(), 'payload');
  if (inForm !== undefined) yield Buffer.from(inForm, 'utf8');
  const inQuery = reader.query().get('payload');
  if (inQuery !== undefined) yield Buffer.from(inQuery, 'utf8');
}
