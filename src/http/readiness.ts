/*
 * Whether a delivery sent now would be stored. Finding out is a write, and anybody may ask: those who ask at the same time
 * or soon after share one answer, and storage that says nothing for long counts as one that refuses.
 */

export type ReadinessOptions = {
  /** Writes something. Rejects when that is not possible. */
  probe: () => Promise<void>;
  monotonic: () => number;
  /** Told once for each probe that failed. */
  onFailure: (error: unknown) => void;
  freshMs?: number;
  patienceMs?: number;
};

export type Readiness = () => Promise<boolean>;

export function createReadiness(options: ReadinessOptions): Readiness {
  const { probe, monotonic, onFailure, freshMs = 1000, patienceMs = 3000 } = options;
  let answer: Promise<boolean> | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  const ask = async (): Promise<boolean> => {
    // A probe that hangs is not joined by another one.
    pending ??= probe().finally(() => {
      pending = undefined;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the database did not answer within ${patienceMs} ms`)), patienceMs);
    });
    try {
      await Promise.race([pending, late]);
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    } finally {
      clearTimeout(timer);
      answeredAt = monotonic();
    }
  };

  return () => {
    if (!answer || monotonic() - answeredAt >= freshMs) {
      answeredAt = Number.POSITIVE_INFINITY;
      answer = ask();
    }
    return answer;
  };
}
