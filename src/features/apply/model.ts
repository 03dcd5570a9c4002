/* Endpoints that a file declares, and the result of applying it. */

import type { AnswerRules } from '../../core/answers/model.ts';
import type { FieldProblem } from '../../core/field-problems.ts';
import type { Guard } from '../../core/guard/model.ts';
import type { ForwardSettings } from '../../shared/forwards.ts';

/** An endpoint of the file. Fields that the file does not have are undefined and belong to people. */
export type DeclaredEndpoint = {
  name: string;
  /** The email address of a member of the team that owns it. */
  account: string;
  /** A fixed token. */
  address?: string;
  secrets?: readonly { platform: string | null; secret: string }[];
  answers?: AnswerRules;
  forwards?: readonly ForwardSettings[];
  /** It is checked together with the stored guard, because it may keep the stored secrets. */
  guard?: Guard | null;
  retention?: string | null;
};

export type ApplyRequest = {
  /** The contents of the file, with the values of secrets instead of their sources. */
  document: unknown;
  /** Only report the changes. */
  dryRun: boolean;
  /** Remove endpoints that a file declared before and this file does not declare. */
  prune: boolean;
  /** Also endpoints with pinned events. */
  force: boolean;
};

export type Changed = { name: string; account: string; url: string; fields: string[] };

/**
 * With `problems` of the file, nothing was changed. Nor was it with `pinned`: endpoints with pinned events, which only `force`
 * removes.
 */
export type ApplyResult =
  | { problems: FieldProblem[] }
  | { pinned: string[] }
  | { created: Changed[]; changed: Changed[]; removed: Pick<Changed, 'name'>[]; unchanged: number };
