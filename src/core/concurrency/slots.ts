/* How many long-running operations one account may have at the same time. Counted per process. */

export type Slots = {
  /** A place, to be given back by calling what is returned; undefined when all are taken. */
  take: (holder: string) => (() => void) | undefined;
};

export function createSlots(limit: number): Slots {
  const taken = new Map<string, number>();
  return {
    take(holder) {
      const count = taken.get(holder) ?? 0;
      if (count >= limit) return undefined;
      taken.set(holder, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (taken.get(holder) ?? 1) - 1;
        if (left === 0) taken.delete(holder);
        else taken.set(holder, left);
      };
    },
  };
}
