/* Erasures, and what they need from everything that stores something about events. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Principal } from '../core/access/principal.ts';
import { signBlock } from '../core/blocks/block-signature.ts';
import { createTimeSlices } from '../core/concurrency/time-slices.ts';
import { invalid } from '../core/errors.ts';
import { parseWhere } from '../core/where.ts';
import type { AuditService } from '../features/audit/service.ts';
import { createContentsStore } from '../features/erasures/contents-store.ts';
import { createErasureHashes } from '../features/erasures/hashes.ts';
import { blocksStatement, createJobsStore } from '../features/erasures/jobs-store.ts';
import { createKeptStore } from '../features/erasures/kept-store.ts';
import { rewriteBlock } from '../features/erasures/rewrite.ts';
import { createErasuresService, type ErasuresOptions } from '../features/erasures/service.ts';
import { createPackingStore } from '../features/packing/store.ts';
import { type Applied, createApplyRedaction } from '../features/redaction/apply.ts';
import { createApplyStore } from '../features/redaction/apply-store.ts';
import { createRedactionStore } from '../features/redaction/store.ts';
import { forgetText } from '../features/schemas/shapes/forget-text.ts';
import { insertStatements, packBlocks } from '../ingest/store.ts';
import type { WiredEndpoints } from './endpoints.ts';
import type { WiredEvents } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';
import { journalDirectory } from './journal.ts';
import type { wireSchemas } from './schemas.ts';

type ErasuresDependencies = WiredEndpoints &
  WiredEvents &
  ReturnType<typeof wireSchemas> & {
    infrastructure: Infrastructure;
    audit: AuditService;
    /** Called after events were removed. */
    onRemoved: () => void;
    /** Resolves once no backup has what was deleted. Undefined without backups. */
    forgetBackups: (() => Promise<void>) | undefined;
  };

export function wireErasures(dependencies: ErasuresDependencies) {
  const { infrastructure, audit, purge, events, schemaLearner, verdicts, onRemoved, forgetBackups } = dependencies;
  const { database, direct, clock, random, isShared, log, every, secret } = infrastructure;
  const contents = createContentsStore(database);
  const packing = createPackingStore(database, (endpoint, blocks) => insertStatements(packBlocks(endpoint, blocks)));
  const erasures = createErasuresService({
    jobs: createJobsStore(direct.client, Buffer.from(random(12)).toString('hex')),
    contents,
    kept: createKeptStore(database.scanClient),
    hashes: createErasureHashes(secret),
    setAside: filesBeside(database.file),
    rewriteBlock: block =>
      rewriteBlock(
        contents,
        {
          sign: signBlock,
          replace: ({ endpoint, from, blocks, moves }) =>
            packing.pack({ blocks: new Map([[endpoint, blocks]]), moves, from: [from] }),
        },
        block,
      ),
    rewriteLater: (job, event) => blocksStatement(job, [event]),
    forgetInSchema: forgetText,
    onSchemasChanged: schemaLearner.forget,
    onRemoved: () => {
      events.forgetRemoved();
      onRemoved();
    },
    purge: purge?.run,
    forgetBackups,
    record: audit.recordJob,
    createSlices: () => createTimeSlices({ monotonic: clock.monotonic }),
    clock,
    random,
    isShared,
    onError: (cause, fields) => log.error('an erasure could not go on', { ...fields, cause }),
  });
  every(erasures.everyMs, 'looking after erasures', erasures.watch);
  const applyStore = createApplyStore(database, (endpoint, blocks) => insertStatements(packBlocks(endpoint, blocks)));
  const apply = createApplyRedaction({
    store: applyStore,
    forgetInSchemas: async (endpoint, hasText) => {
      const isChanged = await applyStore.forgetInSchemas(endpoint, shape => forgetText(shape, hasText));
      if (isChanged) schemaLearner.forget();
    },
    sign: signBlock,
    keyOf: infrastructure.redactionKeyOf,
    rulesOf: async endpoint => {
      const row = await createRedactionStore(direct.db).ofEndpoint(endpoint);
      return row && JSON.parse(row.redaction.toString('utf8'));
    },
    filterOf: (where, endpoint) => {
      const { select } = dependencies.search.createEventFilter(parseWhere(where), endpoint, undefined);
      return seqs => select(seqs);
    },
    verdictOf: async (endpoint, row, content) => {
      if (row.verdict !== null && verdicts.isFinal(row.verdict)) return row.verdict;
      const [verdict] = await verdicts.verify(endpoint, [{ ...row, ...content }]);
      return JSON.stringify(verdict ?? { unsigned: true });
    },
  });
  /** Applies the present rules of an endpoint to its stored events that match. @throws invalid, conflict */
  const applyRedaction = async (
    given: Parameters<typeof apply>[0],
    { dryRun, by }: { dryRun: boolean; by: Principal | null },
  ): Promise<Applied> => {
    if (dryRun) return apply(given, undefined);
    parseWhere(given.where);
    const { teamId, endpoint } = given;
    const applied = await erasures.afterChange({ teamId, endpoint: endpoint.seq }, before => apply(given, before));
    const action = 'redaction.applied';
    const target = { type: 'endpoint', id: endpoint.id };
    const about = { endpointId: endpoint.id, details: { events: applied.changed } };
    if (by) await audit.record(by, action, target, about);
    else await audit.recordJob({ teamId, actor: null, via: 'command', action, target, about });
    return applied;
  };
  const endpointById = async (id: string) => {
    const endpoint = await contents.endpointById(id);
    // Names are not unique: an operator sees the endpoints of all teams.
    if (!endpoint) throw invalid(`there is no endpoint ${id}; give its id, such as ep_…`);
    return endpoint;
  };
  return { erasures, applyRedaction, endpointById };
}

const keptFile = /^refused-\d+\.json$|\.segment\.damaged$/;

/** Files with deliveries that did not become events, and journals of other databases: paths from the directory of the database. */
function filesBeside(file: string | undefined): ErasuresOptions['setAside'] {
  if (file === undefined) return { names: () => [], read: () => Buffer.alloc(0), remove: () => {} };
  const [directory, journal] = [dirname(file), basename(journalDirectory(file))];
  const filesIn = (name: string): string[] =>
    existsSync(join(directory, name)) ? readdirSync(join(directory, name)).map(one => join(name, one)) : [];
  return {
    names: () =>
      [
        ...filesIn(journal).filter(path => keptFile.test(basename(path))),
        ...readdirSync(directory)
          .filter(name => name.startsWith(`${journal}.of-another-database-`))
          .flatMap(filesIn),
      ].filter(path => statSync(join(directory, path)).isFile()),
    read: path => readFileSync(join(directory, path)),
    remove: path => rmSync(join(directory, path), { force: true }),
  };
}
