/*
 * `bun scripts/proofs/shared-database.ts [PROCESSES [SECONDS [KILLS]]]`: builds the executable and lets 6 processes share one
 * sqld with the options from docs/installing.md. For a minute they get as many deliveries as they can take, and none may be
 * refused. Then sqld is killed 20 times under the same load: nothing acknowledged may be lost, and nothing stored twice. Ends
 * with the line `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { eventually } from '../../src/testing/poll.ts';
import { startLibsqlServer } from '../../src/testing/remote/libsql-server.ts';
import { type Api, createApi, type Endpoint, firstApi, ingestAddress } from '../lib/api.ts';
import { createChecks, ensure } from '../lib/checks.ts';
import { buildExecutable } from '../lib/executable.ts';
import { type Installation, install, type Server } from '../lib/installation.ts';
import { orderPayloads } from '../lib/payloads.ts';
import { type Ledger, type Senders, startSenders } from '../lib/senders.ts';

const [processes = 6, seconds = 60, kills = 20] = process.argv.slice(2).map(Number);
const connections = 64;
/** The number of deliveries that are acknowledged before each kill. */
const betweenKills = 640;
const payloads = orderPayloads(100);

type Process = { installation: Installation; server: Server; api: Api };

async function openProcesses(binary: string, url: string): Promise<Process[]> {
  const all: Process[] = [];
  const settings = {
    HOOKTAPE_DATABASE_URL: url,
    HOOKTAPE_SECRET: 'the same secret for every process of this proof',
    HOOKTAPE_RATE_LIMIT: '1000000',
    HOOKTAPE_LOG_LEVEL: 'error',
  };
  for (let i = 0; i < processes; i++) {
    const installation = install(settings, [], { built: binary });
    const server = await installation.start(await freePort());
    const key = all[0]?.api.key;
    const api = key === undefined ? await firstApi(installation, server) : createApi(server.origin, key);
    all.push({ installation, server, api });
  }
  return all;
}

/** Compares the export of an endpoint, which one process received, with what its senders know. @returns how many are stored */
async function compare(api: Api, { id }: Endpoint, { acknowledged, repeatedIds }: Ledger): Promise<number> {
  const ndjson = await (await api.get(`/api/endpoints/${id}/export?format=ndjson`)).text();
  const idByNumber = new Map<number, string>();
  let twice = 0;
  for (const line of ndjson.trim().split('\n')) {
    const event = JSON.parse(line) as { id: string; path: string };
    const number = Number(event.path.slice(1));
    if (idByNumber.has(number)) twice++;
    idByNumber.set(number, event.id);
  }
  const lost = [...acknowledged].filter(([event, number]) => idByNumber.get(number) !== event).length;
  ensure(lost + twice + repeatedIds === 0, `${lost} lost, ${twice} stored twice, ${repeatedIds} ids given twice`);
  return idByNumber.size;
}

/** Sends to all processes while `work` runs, and compares what they stored. */
async function underLoad(all: readonly Process[], work: (senders: readonly Senders[]) => Promise<unknown>) {
  const loads = [];
  for (const { server, api } of all) {
    const endpoint = await api.createEndpoint('proof');
    const address = ingestAddress(server, endpoint);
    loads.push({ api, endpoint, senders: startSenders(address, payloads, Math.ceil(connections / all.length)) });
  }
  await work(loads.map(({ senders }) => senders));
  const ledgers = await Promise.all(loads.map(({ senders }) => senders.stop()));
  const sum = (count: (ledger: Ledger) => number): number => ledgers.reduce((total, one) => total + count(one), 0);
  let stored = 0;
  for (const [i, { api, endpoint }] of loads.entries()) stored += await compare(api, endpoint, ledgers[i] as Ledger);
  return {
    acknowledged: sum(ledger => ledger.acknowledged.size),
    refused: sum(ledger => ledger.refused),
    unanswered: sum(ledger => ledger.unanswered),
    stored,
  };
}

const acknowledgedBy = (senders: readonly Senders[]): number =>
  senders.reduce((total, { ledger }) => total + ledger.acknowledged.size, 0);

const directory = mkdtempSync(join(tmpdir(), 'hooktape-shared-database-'));
const libsql = await startLibsqlServer();
const { check, close } = createChecks();
let all: Process[] = [];
try {
  const binary = join(directory, 'hooktape');
  await buildExecutable({ outfile: binary });
  all = await openProcesses(binary, libsql.url);

  await check(`${processes} processes on one sqld refuse nothing for ${seconds} s`, async () => {
    const found = await underLoad(all, () => Bun.sleep(seconds * 1000));
    const logs = all.map(({ server }) => server.output().slice(-1000)).join('\n');
    ensure(found.refused + found.unanswered === 0, `${JSON.stringify(found)}\n${logs}`);
    ensure(found.stored === found.acknowledged, JSON.stringify(found));
    return JSON.stringify(found);
  });

  await check(`nothing acknowledged is lost when sqld is killed ${kills} times`, async () => {
    const found = await underLoad(all, async senders => {
      for (let kill = 0; kill < kills; kill++) {
        const before = acknowledgedBy(senders);
        await eventually(() => acknowledgedBy(senders) > before + betweenKills, 60_000);
        await libsql.kill();
        await Bun.sleep(300 + Math.random() * 700);
        await libsql.start();
      }
      const before = acknowledgedBy(senders);
      await eventually(() => acknowledgedBy(senders) > before + betweenKills, 60_000);
    });
    return JSON.stringify(found);
  });
} finally {
  for (const { installation } of all) await installation.remove();
  await libsql.remove();
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = close();
