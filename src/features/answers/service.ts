/*
 * The rules of endpoints, which choose answers other than the default. Rules are checked as a whole, and apply to the deliveries
 * after the response. Setting rules, even the same ones again, restarts their sequences.
 */

import { isDeepStrictEqual } from 'node:util';
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { AnswerRule } from '../../core/answers/model.ts';
import { type ActiveRules, readRules } from '../../core/answers/rules.ts';
import type { Clock } from '../../core/clock.ts';
import type { ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import { notFound } from '../../core/errors.ts';
import type { ReadContents } from '../../core/events/newest-events.ts';
import { seqOf } from '../../core/ids/ids.ts';
import type { EventSummary } from '../events/model.ts';
import type { AnswerPreview, AnswerPreviewRequest, AnswerRules } from './model.ts';
import { type PreviewedEvent, previewRules } from './preview.ts';
import type { AnswersStore, RulesRow } from './store.ts';

type Endpoint = { seq: number; token: string };

export type AnswersService = ReturnType<typeof createAnswersService>;

const defaultPreviewed = 10;

export function createAnswersService<Stored extends PreviewedEvent>(options: {
  store: AnswersStore;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<Endpoint>;
  /** Called when the rules of an endpoint have changed; undefined if it has no rules. */
  onChanged: (endpoint: number, rules: ActiveRules | undefined) => void;
  /** The newest events of an endpoint, newest first. */
  newest: (reader: MemberAccess & Reader, endpointId: string, limit: number) => Promise<EventSummary[]>;
  contents: ReadContents<Stored>;
  /** The status of the response to a handshake; undefined if the event is not a handshake. */
  handshakeStatus: (endpoint: Endpoint, event: Stored) => number | undefined;
  contentReads: ContentReads;
}) {
  const { store, clock, endpoint: findEndpoint, onChanged, newest, contents, handshakeStatus, contentReads } = options;

  return {
    /** @throws not_found */
    async rules(principal: TeamAccess, id: string): Promise<AnswerRules> {
      const { seq } = await findEndpoint(principal, id);
      const row = await store.find({ teamId: principal.teamId, endpoint: seq });
      return { rules: row ? parseRules(row) : [] };
    },

    /** @returns the rules with defaults filled in @throws invalid, naming rule and field; not_found */
    async replace(principal: TeamAccess, id: string, request: AnswerRules): Promise<AnswerRules> {
      const { given, active } = readRules(request);
      const { seq } = await findEndpoint(principal, id);
      const own = { teamId: principal.teamId, endpoint: seq };
      if (given.length === 0) {
        await store.remove(own);
        onChanged(seq, undefined);
        return { rules: [] };
      }
      const version = await store.replace(own, Buffer.from(JSON.stringify(given)), clock.now());
      if (version === undefined) throw notFound('endpoint');
      onChanged(seq, { version, rules: active });
      return { rules: given };
    },

    /** Removes the rules: from then on, senders get the default answer. @throws not_found for the endpoint */
    async remove(principal: TeamAccess, id: string): Promise<void> {
      const { seq } = await findEndpoint(principal, id);
      await store.remove({ teamId: principal.teamId, endpoint: seq });
      onChanged(seq, undefined);
    },

    /**
     * The answers that these rules would have given to the newest events. If they are the saved rules, the answers that later events
     * got, because their sequences and limits began before the events that are read here. Changes nothing.
     * @param signal aborted when the client disconnects
     * @throws invalid, not_found; as `ContentReads.run`
     */
    async preview(
      principal: MemberAccess,
      id: string,
      request: AnswerPreviewRequest,
      signal?: AbortSignal,
    ): Promise<AnswerPreview> {
      const reader = { ...principal, signal };
      const { active } = readRules(request);
      const endpoint = await findEndpoint(principal, id);
      const saved = await store.find({ teamId: principal.teamId, endpoint: endpoint.seq });
      const isSaved = saved && isDeepStrictEqual(readRules({ rules: parseRules(saved) }, true).active, active);
      const events = await newest(reader, id, request.limit ?? defaultPreviewed);
      const verdicts = new Map(events.map(event => [seqOf(event), event.verdict]));
      const oldestFirst = events.map(event => ({ seq: seqOf(event), size: event.size })).sort((a, b) => a.seq - b.seq);
      const answers = await contentReads.run(reader, read =>
        previewRules(active, contents(principal, id, oldestFirst, read), {
          signal,
          handshakeStatus: event => handshakeStatus(endpoint, event),
          verdictOf: event => verdicts.get(event.seq) ?? 'unchecked',
          savedAt: isSaved ? saved.createdAt : undefined,
          monotonic: clock.monotonic,
        }),
      );
      return {
        // An event without an answer is damaged or has just been removed.
        events: events.flatMap(event => {
          const answer = answers.get(seqOf(event));
          return answer ? [{ event, ...answer }] : [];
        }),
      };
    },
  };
}

const parseRules = ({ rules }: RulesRow): AnswerRule[] => JSON.parse(rules.toString('utf8')) as AnswerRule[];
