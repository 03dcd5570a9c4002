/*
 * Compares Hooktape with the installed peers of peers.json under the same load in one run (see peer.ts to add one). They are loaded
 * in turn for several rounds while the others are paused; the table shows medians.
 */
import { parseArgs } from 'node:util';
import { smallPayload } from '../lib/payloads.ts';
import { residentMegabytes } from '../lib/process.ts';
import { bytesIn, type Programs, readPeers, type Subject, skipReason, startPeer } from './peer.ts';
import { pauseAllExcept } from './processes.ts';
import { startRecorder } from './recorder.ts';
import { median } from './statistics.ts';
import { fullLoad, requireWrk } from './wrk.ts';

type Entrant = {
  name: string;
  durable: boolean;
  subject: Subject;
  perSecond: number[];
  p99Ms: number[];
  requests: number;
  emptyBytes: number;
};

const warmUpSeconds = 2;

export async function peers(args: string[]): Promise<void> {
  requireWrk();
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
      config: { type: 'string' },
      'request-baskets': { type: 'string' },
    },
  });
  const given = values['request-baskets'];
  const programs: Programs = given === undefined ? {} : { 'request-baskets': given };
  const entrants: Entrant[] = [];
  try {
    entrants.push(await enter('Hooktape', true, await startHooktape()));
    for (const peer of readPeers(values.config)) {
      const why = skipReason(peer, programs);
      if (why) console.log(`skip  ${peer.name}: ${why}`);
      else
        try {
          entrants.push(await enter(peer.name, peer.durable === true, await startPeer(peer, programs)));
        } catch (error) {
          console.log(`skip  ${peer.name}: ${(error as Error).message}`);
        }
    }
    await takeTurns(entrants, Number(values.seconds), Number(values.rounds));
    print(entrants);
  } finally {
    for (const { subject } of entrants) await subject.end();
  }
}

/** Warms the program up and pauses it. @throws if it refuses deliveries; then it has been stopped */
async function enter(name: string, durable: boolean, subject: Subject): Promise<Entrant> {
  try {
    await fullLoad(subject.address, [subject.payload], warmUpSeconds);
    process.kill(subject.pid, 'SIGSTOP');
    return { name, durable, subject, perSecond: [], p99Ms: [], requests: 0, emptyBytes: subject.diskBytes() };
  } catch (error) {
    await subject.end();
    throw error;
  }
}

async function takeTurns(entrants: readonly Entrant[], seconds: number, rounds: number): Promise<void> {
  const pids = entrants.map(({ subject }) => subject.pid);
  for (let round = 1; round <= rounds; round++)
    for (const entrant of entrants) {
      const { address, payload, pid } = entrant.subject;
      pauseAllExcept(pid, pids);
      const load = await fullLoad(address, [payload], seconds);
      console.log(`round ${round}  ${entrant.name}: ${load.perSecond.toFixed(0)}/s, p99 ${load.p99Ms.toFixed(1)} ms`);
      entrant.perSecond.push(load.perSecond);
      entrant.p99Ms.push(load.p99Ms);
      entrant.requests += load.requests;
    }
}

function print(entrants: readonly Entrant[]): void {
  const width = Math.max(24, ...entrants.map(({ name }) => name.length + 2));
  console.log(
    `\n${'1.6 KB, 64 connections'.padEnd(width)}captures/s   p99 ms   disk B/event   RSS MB   start ms   durable`,
  );
  for (const { name, durable, subject, perSecond, p99Ms, requests, emptyBytes } of entrants)
    console.log(
      name.padEnd(width) +
        median(perSecond).toFixed(0).padStart(10) +
        median(p99Ms).toFixed(1).padStart(9) +
        ((subject.diskBytes() - emptyBytes) / requests).toFixed(0).padStart(15) +
        residentMegabytes(subject.pid).toFixed(0).padStart(9) +
        subject.startupMs.toFixed(0).padStart(11) +
        (durable ? '   yes' : '   no'),
    );
}

async function startHooktape(): Promise<Subject> {
  const { installation, server, address, remove } = await startRecorder();
  return {
    pid: server.pid,
    startupMs: server.startupMs,
    address,
    payload: smallPayload(),
    diskBytes: () => bytesIn(installation.dataDir),
    end: remove,
  };
}
