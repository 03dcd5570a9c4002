/* The note on sending an event from which rules took something. */
import type { Redacted } from '../redaction/model.ts';

const noLongerCovered = 'the signature no longer covers the body, because redaction rules took something out of it';

/** @param isUnsigned the event came without a signature @param sent `edited`: it differs from what came */
export const replayNote = (
  { redacted, isUnsigned }: { redacted: Redacted | null; isUnsigned: boolean },
  sent: { signed: boolean; edited: boolean },
): string | null => (redacted && !isUnsigned && sent.edited && !sent.signed ? noLongerCovered : null);
