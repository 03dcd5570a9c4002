/*
 * What deliveries take on the user's disk: all files of the data directory, search index included, at rest. At rest means that
 * nothing is left to do in the background, and a clean stop has folded in whatever log there was.
 */
import { githubPayloads, type Payload, stripePayloads } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { bytesIn } from './peer.ts';
import { startRecorder, untilAtRest } from './recorder.ts';
import type { Row } from './report.ts';

const githubEvents = 38_161;
const stripeEvents = 40_000;
/** Background work may wait for a quiet moment before it begins. */
const quietMs = 10_000;

type Use = {
  events: number;
  receivedBytes: number;
  /** While it runs, logs and whatever is kept ready included. */
  runningBytes: number;
  diskBytes: number;
  capturedSeconds: number;
  settledSeconds: number;
};

export async function diskRows(): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const github = await diskUse(githubPayloads(), githubEvents);
  const stripe = await diskUse(stripePayloads(stripeEvents), stripeEvents);
  const row = (what: string, { receivedBytes, diskBytes }: Use, atMost: number): Row => ({
    what: `bytes on disk per byte received, at rest, ${what}`,
    ours: diskBytes / receivedBytes,
    unit: '',
    goal: { atMost },
  });
  return {
    rows: [row('GitHub examples (9.9 KB)', github, 0.15), row('Stripe-like events (1 KB)', stripe, 0.25)],
    details: { disk: { github, stripe } },
  };
}

async function diskUse(payloads: readonly Payload[], events: number): Promise<Use> {
  const recorder = await startRecorder();
  try {
    const { bytes, seconds } = await seed(recorder.address, payloads, events);
    const settledSeconds = await untilAtRest(recorder, { quietMs });
    const { dataDir } = recorder.installation;
    const runningBytes = bytesIn(dataDir, isData);
    await recorder.server.end('SIGTERM');
    const diskBytes = bytesIn(dataDir, isData);
    console.log(
      `${events} events, ${bytes} bytes: captured in ${seconds.toFixed(0)} s, at rest after ${settledSeconds.toFixed(0)} s, ${runningBytes} bytes, ${diskBytes} when stopped`,
    );
    return { events, receivedBytes: bytes, runningBytes, diskBytes, capturedSeconds: seconds, settledSeconds };
  } finally {
    await recorder.remove();
  }
}

/** The database engine's own file is part of the program. */
const isData = (name: string): boolean => !name.endsWith('.node');
