/* The recorder: from deliveries to rows. Put together for the writer thread, and for the main one when there is no such thread. */
import { createRecorder, type Recorder } from '../features/capture/recorder.ts';
import type { CaptureStore } from '../features/capture/store.ts';
import { signEvent } from '../features/search/texts.ts';
import { recognise } from '../features/secrets/recognition.ts';

export const createRecorderOn = ({ insert }: CaptureStore): Recorder =>
  createRecorder({ recognise, sign: signEvent, insert, monotonic: () => performance.now() });
