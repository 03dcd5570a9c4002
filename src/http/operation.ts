/*
 * What a route says about its operation: its description, who may call it, its entry in the audit log, and how HEAD is answered.
 * Spread `operation({ … })` into the options of the route. The gate, the audit log and the others read it through route-table.ts.
 */
import type { Permission } from '../core/access/permissions.ts';

/** `noun.past_participle` */
type AuditAction = `${string}.${string}`;

/** What the handler of an operation returned, before it becomes the response. */
export type HandlerResult = Readonly<Record<string, unknown>>;

/** The entry of an operation. Without `type` and `param`, its target follows from the action and the path (audit-requests.ts). */
export type AuditRule = {
  /** Or a function of the result that chooses the action; null: this result says that nothing was changed. */
  action: AuditAction | ((result: HandlerResult) => AuditAction | null);
  /** The type of the target, where it is not the noun of the action. */
  type?: string;
  /** The path parameter with the target's id, where it is not the last one. */
  param?: string;
  /** Statuses other than 2xx after which something was changed. */
  alsoAfter?: readonly number[];
};

/** What the checks around a route need to know about its operation. */
export type OperationRules = {
  operationId: string;
  permission: Permission;
  /** It needs no credentials. */
  isOpen: boolean;
  /** It changes nothing, so read-only API keys may call it. undefined: it reads if its method is GET. */
  reads: boolean | undefined;
  /** null: it changes only how far a program has read, or that it is connected, and leaves no entry. */
  audit: AuditAction | AuditRule | null | undefined;
  /**
   * How HEAD is answered without reading the response to GET completely: `stream` reads nothing of the body, `chunk` reads the
   * first chunk, whose length is the Content-Length if there is no second one.
   */
  head: 'stream' | 'chunk' | undefined;
};

type Declaration = Pick<OperationRules, 'operationId' | 'permission'> &
  Partial<Pick<OperationRules, 'reads' | 'audit' | 'head'>> & {
    summary: string;
    description: string;
    /** `[]`: no credentials; with `{}` among others: credentials are optional. */
    security?: Record<string, string[]>[];
  };

export function operation({ permission, reads, audit, head, ...detail }: Declaration) {
  const { operationId, security } = detail;
  const isOpen = security?.length === 0 || security?.some(scheme => Object.keys(scheme).length === 0) === true;
  const rules: OperationRules = { operationId, permission, isOpen, reads, audit, head };
  // Not in `detail`, which becomes part of the interface description.
  return { detail, operation: rules };
}
