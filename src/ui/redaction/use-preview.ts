/* What the rules would take out of the newest events, asked again while they are edited. The server checks the rules each time. */

import type { RedactionPreview } from '../../features/redaction/model.ts';
import { ApiError } from '../kit/api.ts';
import { messageOf } from '../kit/toasts.tsx';
import { useLivePreview } from '../kit/use-live-preview.ts';
import { type Redaction, redactionApi } from './redaction-api.ts';
import { type Refusal, refusalOf } from './rule-draft.ts';

export type Preview = {
  /** Undefined until the first answer. */
  events: RedactionPreview['events'] | undefined;
  /** Why these rules cannot be saved. */
  refusal: Refusal | undefined;
  /** Why there is no preview. */
  problem: string;
};

/** @param redaction undefined while it is incomplete, or without rules: the last preview stays */
export function usePreview(endpointId: string, redaction: Redaction | undefined): Preview {
  const { value, failure } = useLivePreview(
    redaction && redaction.rules.length > 0 ? JSON.stringify(redaction) : undefined,
    (asked, signal) => redactionApi.preview(endpointId, JSON.parse(asked), signal),
    error =>
      error instanceof ApiError && error.status === 400
        ? { refusal: refusalOf(error), problem: '' }
        : { refusal: undefined, problem: messageOf(error) },
  );
  return { events: value?.events, refusal: failure?.refusal, problem: failure?.problem ?? '' };
}
