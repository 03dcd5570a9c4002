/* Makes sentences of entries of the audit log, a page of them at a time: what they are about is looked up for all at once. */
import { type ChangeKind, sentenceOf } from './sentences.ts';
import type { AuditRow, TargetsStore } from './store.ts';

export type Tell = ReturnType<typeof createTell>;

export type TellableRow = Pick<
  AuditRow,
  'action' | 'actorEmail' | 'targetType' | 'targetId' | 'endpointId' | 'details'
>;

/** `link`: the path of a page of the dashboard. `exists`: whether the target does. */
export type TellEntry = { text: string; kind: ChangeKind; link: string | null; exists: boolean };

/** These may belong to no endpoint, so that the whole log has to be searched for the name of a deleted target. */
const typesInTeam = new Set(['key', 'passkey', 'account', 'invitation', 'subscription']);

/** The name at that time, of the endpoint that an entry has as its target. */
const endpointNameIn = ({ targetType, details }: TellableRow): string | undefined =>
  targetType === 'endpoint' ? details?.name : undefined;

export const createTell = (store: TargetsStore) => ({
  /**
   * A sentence for each entry. @param teamId of the reader @param inEndpoint whether the reader sees the page of the endpoint, which the
   * sentences then do not name
   */
  async tell<R extends TellableRow>(teamId: string, rows: readonly R[], inEndpoint = false): Promise<TellEntry[]> {
    const targets = rows.flatMap(({ targetType, targetId, endpointId }) => [
      { type: targetType, id: targetId },
      ...(endpointId === null ? [] : [{ type: 'endpoint', id: endpointId }]),
    ]);
    const existing = await store.existing(targets);
    const unnamed = targets.filter(({ id, type }) => existing.get(id)?.name === undefined && type !== 'event');
    const idsOf = (isInTeam: boolean): string[] =>
      unnamed.filter(({ type }) => typesInTeam.has(type) === isInTeam).map(({ id }) => id);
    const endpointIds = rows.flatMap(({ endpointId }) => endpointId ?? []);
    const [inEndpoints, inTeam] = await Promise.all([
      idsOf(false).length === 0 ? undefined : store.namesInEndpoints(endpointIds, idsOf(false)),
      idsOf(true).length === 0 ? undefined : store.namesInTeam(teamId, idsOf(true)),
    ]);
    const nameOf = (id: string): string | undefined =>
      existing.get(id)?.name ?? inEndpoints?.get(id) ?? inTeam?.get(id);
    return rows.map(row => {
      const target = existing.get(row.targetId);
      const endpointId = row.endpointId ?? target?.endpointId ?? null;
      const { path, ...sentence } = sentenceOf({
        ...row,
        name: row.details?.name ?? nameOf(row.targetId),
        exists: target !== undefined,
        endpointName: endpointId === null || inEndpoint ? undefined : (endpointNameIn(row) ?? nameOf(endpointId)),
      });
      const isBelowEndpoint = path !== null && !path.startsWith('/app');
      const hasEndpoint = endpointId !== null && (existing.has(endpointId) || target?.endpointId === endpointId);
      const page = isBelowEndpoint ? `/app/endpoints/${endpointId}${path}` : path;
      const link = isBelowEndpoint && !hasEndpoint ? null : page;
      return { ...sentence, link, exists: target !== undefined };
    });
  },
});
