/*
 * What redaction rules cost: durable deliveries per second of an endpoint with rules, compared with an endpoint without rules, and the
 * processor time for each delivery, which other load affects less. With a baseline executable, also an endpoint without rules compared
 * with that program.
 */
import { ensure } from '../lib/checks.ts';
import { builtBinary } from '../lib/installation.ts';
import { githubPayloads, orderPayloads } from '../lib/payloads.ts';
import { totalCpuMs } from '../lib/process.ts';
import type { PartResult } from './goal-part.ts';
import { type Recorder, startRecorder, storedEvents } from './recorder.ts';
import type { Row } from './report.ts';
import { interleaved, medians, type Taken } from './rounds.ts';
import { fullLoad } from './wrk.ts';

type Side = 'no rules' | 'with rules' | 'baseline';

const warmUpSeconds = 2;
const payloadCount = 1000;
const rules = [
  { in: 'body', path: 'customer.email', with: 'mask' },
  { in: 'body', path: '*.login', with: 'hash' },
  { in: 'header', path: 'X-Customer', with: 'remove' },
  { detect: 'email', with: 'remove' },
];

export async function redactionRows(
  { seconds, rounds }: { seconds: number; rounds: number },
  baselineBinary?: string,
): Promise<PartResult> {
  const binaries: [Side, string][] = [
    ['no rules', builtBinary()],
    ['with rules', builtBinary()],
    ...(baselineBinary === undefined ? [] : [['baseline', baselineBinary] as [Side, string]]),
  ];
  const targets = new Map<Side, Recorder>();
  try {
    // Each has a server of its own, because background work follows the deliveries.
    for (const [side, binary] of binaries) targets.set(side, await startRecorder(binary));
    const redacted = targets.get('with rules') as Recorder;
    const answer = await redacted.api.put(`/api/endpoints/${redacted.endpoint.id}/redaction`, { rules });
    ensure(answer.ok, `the rules were not accepted: ${answer.status}`);
    const rows: Row[] = [];
    const details: Record<string, unknown> = {};
    for (const [name, payloads] of Object.entries({
      '1.6 KB': orderPayloads(payloadCount),
      'GitHub examples': githubPayloads(),
    })) {
      for (const { address } of targets.values()) await fullLoad(address, payloads, warmUpSeconds);
      const cpu: Taken<Side> = { 'no rules': [], 'with rules': [], baseline: [] };
      const rates = await interleaved([...targets.keys()], rounds, `${name}, deliveries/s`, async side => {
        const recorder = targets.get(side) as Recorder;
        const before = totalCpuMs(recorder.server.pid);
        const { perSecond, requests } = await fullLoad(recorder.address, payloads, seconds);
        await storedEvents(recorder);
        cpu[side].push(((totalCpuMs(recorder.server.pid) - before) * 1000) / requests);
        return perSecond;
      });
      details[name] = { rates, cpu };
      const compared = (ours: Side, baseline: Side, what: string): Row[] => [
        { what: `${what}, ${name}`, ...medians(rates, ours, baseline), unit: '/s' },
        { what: '  processor time a delivery', ...medians(cpu, ours, baseline), unit: 'us' },
      ];
      rows.push(...compared('with rules', 'no rules', 'deliveries with 4 redaction rules (baseline: without rules)'));
      if (targets.has('baseline'))
        rows.push(...compared('no rules', 'baseline', 'deliveries without rules (baseline: the other program)'));
    }
    return { rows, details };
  } finally {
    for (const { remove } of targets.values()) await remove();
  }
}
