/*
 * Durable deliveries per second, sustained and in a burst, compared with a bare node:http server and with request-baskets, which
 * keeps the newest 200 in memory. The sustained load uses one database for all rounds; at the end, every acknowledged delivery must
 * be stored. Each burst is sent to a new server that is warmed up and idle.
 */
import { ensure } from '../lib/checks.ts';
import { githubPayloads, orderPayloads, type Payload } from '../lib/payloads.ts';
import type { Part } from './goal-part.ts';
import { inMemoryPeer, type Programs, readPeers, skipReason, startPeer } from './peer.ts';
import { pauseAllExcept, startBaseline } from './processes.ts';
import { type Recorder, startRecorder, storedEvents, untilAtRest } from './recorder.ts';
import type { Row } from './report.ts';
import { interleaved, medians, type Taken } from './rounds.ts';
import { burst, fullLoad } from './wrk.ts';

type Side = 'Hooktape' | 'node:http' | 'request-baskets';
type Target = { pid: number; address: string; end: () => Promise<void> };

const warmUpSeconds = 2;
const payloadCount = 1000;

export const captureRows: Part<'seconds' | 'rounds' | 'burst' | 'peerPrograms'> = async ({
  seconds,
  rounds,
  burst: deliveries,
  peerPrograms,
}) => {
  const peer = peerPrograms && peerStart(peerPrograms);
  const payloads = { small: orderPayloads(payloadCount), github: githubPayloads() };
  const sustained = await sustainedRates(payloads, { seconds, rounds, peer });
  const bursts = peer && (await burstRates(payloads.small, { deliveries, rounds, peer }));
  const unit = '/s';
  const rows: Row[] = [
    {
      what: `durable deliveries sustained for ${seconds} s, 1.6 KB, 64 connections (baseline: bare node:http)`,
      ...medians(sustained.small, 'Hooktape', 'node:http'),
      unit,
      goal: { atLeast: 0.6 },
    },
    ...(peer
      ? [
          {
            what: `  the same (baseline: ${inMemoryPeer})`,
            ...medians(sustained.small, 'Hooktape', 'request-baskets'),
            unit,
            goal: { atLeast: 0.85 },
          },
        ]
      : []),
    ...(bursts
      ? [
          {
            what: `a burst of ${deliveries.toLocaleString('en-US')} deliveries (baseline: ${inMemoryPeer})`,
            ...medians(bursts, 'Hooktape', 'request-baskets'),
            unit,
            goal: { atLeast: 1.2 },
          },
        ]
      : []),
    {
      what: `durable deliveries sustained for ${seconds} s, GitHub examples (baseline: bare node:http)`,
      ...medians(sustained.github, 'Hooktape', 'node:http'),
      unit,
      goal: { atLeast: 0.45 },
    },
  ];
  return { rows, details: { sustained, bursts }, sustainedRate: rows[0]?.ours };
};

/** Starts request-baskets; prints the reason and returns undefined if it is not installed. */
function peerStart(programs: Programs): (() => Promise<Target>) | undefined {
  const peer = readPeers().find(({ name }) => name === inMemoryPeer);
  const why = peer ? skipReason(peer, programs) : 'it is not in peers.json';
  if (why === undefined && peer) return () => startPeer(peer, programs);
  console.log(`skip  ${inMemoryPeer}: ${why}`);
  return undefined;
}

async function sustainedRates(
  payloads: Record<'small' | 'github', Payload[]>,
  { seconds, rounds, peer }: { seconds: number; rounds: number; peer: (() => Promise<Target>) | undefined },
): Promise<Record<'small' | 'github', Taken<Side>>> {
  const targets = new Map<Side, Target>();
  try {
    const recorder = await startRecorder();
    targets.set('Hooktape', targetOf(recorder));
    targets.set('node:http', await bareTarget());
    if (peer) targets.set('request-baskets', await peer());
    const pids = [...targets.values()].map(({ pid }) => pid);
    let acknowledged = 0;
    const load = async (side: Side, set: readonly Payload[], duration: number): Promise<number> => {
      const target = targets.get(side) as Target;
      pauseAllExcept(target.pid, pids);
      const { perSecond, requests } = await fullLoad(target.address, set, duration);
      if (side === 'Hooktape') acknowledged += requests;
      return perSecond;
    };
    for (const side of targets.keys()) await load(side, payloads.small, warmUpSeconds);
    const small = await interleaved([...targets.keys()], rounds, '1.6 KB, deliveries/s', side =>
      load(side, payloads.small, seconds),
    );
    const github = await interleaved<Side>(['Hooktape', 'node:http'], rounds, 'GitHub, deliveries/s', side =>
      load(side, payloads.github, seconds),
    );
    pauseAllExcept((targets.get('Hooktape') as Target).pid, pids);
    const stored = await storedEvents(recorder);
    ensure(stored >= acknowledged, `${acknowledged} deliveries were acknowledged, but ${stored} are stored`);
    return { small, github: { ...github, 'request-baskets': [] } };
  } finally {
    for (const { end } of targets.values()) await end();
  }
}

async function burstRates(
  payloads: readonly Payload[],
  { deliveries, rounds, peer }: { deliveries: number; rounds: number; peer: () => Promise<Target> },
): Promise<Taken<Side>> {
  const rates = await interleaved<Side>(['Hooktape', 'request-baskets'], rounds, 'burst, deliveries/s', async side => {
    const recorder = side === 'Hooktape' ? await startRecorder() : undefined;
    const target = recorder ? targetOf(recorder) : await peer();
    try {
      await fullLoad(target.address, payloads, warmUpSeconds);
      if (recorder) await untilAtRest(recorder);
      return (await burst(target.address, payloads, deliveries)).perSecond;
    } finally {
      await target.end();
    }
  });
  return rates;
}

const targetOf = ({ server, address, remove }: Recorder): Target => ({ pid: server.pid, address, end: remove });

async function bareTarget(): Promise<Target> {
  const { origin, pid, end } = await startBaseline();
  return { pid, address: `${origin}/in/baseline`, end };
}
