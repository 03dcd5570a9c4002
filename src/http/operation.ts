/*
 * The declaration of a route's operation: its description, who may call it, its entry in the audit log, and the handling of HEAD,
 * and whether its answers are compressed.
 * Spread `operation({ … })` into the options of the route. The gate, the audit log and other checks read it through
 * route-table.ts.
 */
import type { AuditDetails } from '../core/access/audit-actions.ts';
import type { Permission } from '../core/access/permissions.ts';

/** `noun.past_participle` */
type AuditAction = `${string}.${string}`;

/** What the handler of an operation returned, before it becomes the response. */
export type HandlerResult = Readonly<Record<string, unknown>>;

/** The entry of an operation. Without `type` and `param`, its target follows from the action and the path (audit-requests.ts). */
export type AuditRule = {
  /** The action, or a function that chooses it by the result; null means that nothing was changed. */
  action: AuditAction | ((result: HandlerResult) => AuditAction | null);
  /** The type of the target, if it is not the noun of the action. */
  type?: string;
  /** The path parameter with the target's id, if it is not the last one. */
  param?: string;
  /** Whether it deletes an event, whose endpoint is unknown afterwards. */
  deletesEvent?: boolean;
  /** What its sentence needs; by default the names of the target and of changed fields. */
  details?: (result: HandlerResult) => AuditDetails;
  /** Statuses other than 2xx after which something was changed. */
  alsoAfter?: readonly number[];
};

/** What the checks around a route need to know about its operation. */
export type OperationRules = {
  operationId: string;
  permission: Permission;
  /** Whether it needs no credentials. */
  isOpen: boolean;
  /**
   * Whether it changes nothing, so that read-only API keys may call it; undefined means that this depends on the method: GET only
   * reads.
   */
  reads: boolean | undefined;
  /** null for an operation that leaves no entry, because it changes only the position of a program or that it is connected. */
  audit: AuditAction | AuditRule | null | undefined;
  /**
   * How HEAD is answered without reading the response to GET completely: `stream` reads nothing of the body, `chunk` reads the
   * first chunk, whose length is the Content-Length if there is no second one.
   */
  head: 'stream' | 'chunk' | undefined;
  /**
   * Whether its JSON answers are compressed (compress.ts); undefined: only for GET. It must be false if the answer can have a secret
   * or a signature beside text that a stranger chose.
   */
  compressed: boolean | undefined;
};

type Declaration = Pick<OperationRules, 'operationId' | 'permission'> &
  Partial<Pick<OperationRules, 'reads' | 'audit' | 'head' | 'compressed'>> & {
    summary: string;
    description: string;
    /** `[]`: no credentials; with `{}` among others: credentials are optional. */
    security?: Record<string, string[]>[];
  };

export function operation({ permission, reads, audit, head, compressed, ...detail }: Declaration) {
  const { operationId, security } = detail;
  const isOpen = security?.length === 0 || security?.some(scheme => Object.keys(scheme).length === 0) === true;
  const rules: OperationRules = { operationId, permission, isOpen, reads, audit, head, compressed };
  // The rules are not in `detail`, because that becomes part of the interface description.
  return { detail, operation: rules };
}
