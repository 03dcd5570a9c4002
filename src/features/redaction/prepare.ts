/* Prepares the redaction rules of endpoints for the capture path. The code that applies rules is loaded for the first ones. */
import type { EndpointRedaction, Redactable, RedactionResult } from '../../core/redaction/model.ts';
import { deriveNumberKey } from './redact-delivery.ts';
import type { RedactionRow } from './store.ts';

export function createPrepareRedaction({
  keyOf,
  onUnreadable,
}: {
  /** The key of a team. */
  keyOf: (teamId: string) => Uint8Array;
  onUnreadable: (endpoint: number, cause: unknown) => void;
}) {
  /** By endpoint, because other processes load all rules every second. */
  const known = new Map<number, { version: number; redaction: EndpointRedaction | undefined }>();

  /** @param endpoints at least the endpoints of the rows @returns the redaction of an endpoint */
  return async (
    rows: readonly RedactionRow[],
    endpoints: readonly { seq: number; teamId: string }[],
  ): Promise<(endpoint: number) => EndpointRedaction | undefined> => {
    if (rows.length === 0) return () => undefined;
    const { compileRedaction } = await import('../../core/redaction/redact.ts');
    const { readRedaction } = await import('../../core/redaction/schema.ts');
    const prepare = ({ endpoint, redaction }: RedactionRow, teamId: string): EndpointRedaction | undefined => {
      try {
        const rules = readRedaction(JSON.parse(redaction.toString('utf8')));
        if (rules.rules.length === 0) return undefined;
        const key = keyOf(teamId);
        const numberKey = deriveNumberKey(key);
        return { redact: withoutContent(compileRedaction(rules, key)), numberKey };
      } catch (cause) {
        // A newer version wrote them, or they are damaged.
        onUnreadable(endpoint, cause);
        return 'unreadable';
      }
    };
    const teams = new Map(endpoints.map(({ seq, teamId }) => [seq, teamId]));
    const prepared = new Map<number, EndpointRedaction | undefined>();
    for (const row of rows) {
      const { version, endpoint } = row;
      const teamId = teams.get(endpoint);
      if (teamId === undefined) continue;
      const before = known.get(endpoint);
      const redaction = before?.version === version ? before.redaction : prepare(row, teamId);
      known.set(endpoint, { version, redaction });
      prepared.set(endpoint, redaction);
    }
    return endpoint => prepared.get(endpoint);
  };
}

/** An error of the rules may quote the event, and errors are logged. */
const withoutContent =
  (redact: (event: Redactable) => RedactionResult) =>
  (event: Redactable): RedactionResult => {
    try {
      return redact(event);
    } catch (error) {
      throw new Error(`the redaction rules failed: ${(error as Error).name}`);
    }
  };
