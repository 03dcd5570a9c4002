/* The recorder: from deliveries to rows. Put together for the writer thread, and for the main one when there is no such thread. */
import type { Client } from '@libsql/client';
import { createRecorder, type Recorder } from '../features/capture/recorder.ts';
import { createCaptureStore } from '../features/capture/store.ts';
import { signEvent } from '../features/search/texts.ts';
import { recognise } from '../features/secrets/recognition.ts';

export const createRecorderOn = (client: Pick<Client, 'batch'>): Recorder =>
  createRecorder({ recognise, sign: signEvent, insert: createCaptureStore(client).insert });
