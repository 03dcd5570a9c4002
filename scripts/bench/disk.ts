/*
 * Disk usage per byte received: all files of the data directory, including the search index, at rest. At rest means that all
 * background work is done and that a clean stop has checkpointed the write-ahead log.
 */
import { githubPayloads, type Payload, stripePayloads } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import { bytesIn } from './peer.ts';
import { startRecorder, untilAtRest } from './recorder.ts';
import type { Row } from './report.ts';

const githubEvents = 38_161;
const stripeEvents = 40_000;
/** Background work may start only after the server has been idle for a while. */
const quietMs = 10_000;

type Use = {
  events: number;
  receivedBytes: number;
  /** The size while the server runs, including logs and preallocated files. */
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

/** Excludes the unpacked database engine, which is part of the program. */
const isData = (name: string): boolean => !name.endsWith('.node');
