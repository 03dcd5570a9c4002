/* Threads that load their program while the data directory is still being created and locked. */

export type ThreadName = 'writer' | 'reader';
export type SpawnThread = (name: ThreadName) => Worker;

/** @returns a `spawn` that first returns these threads, except dead ones, because their failure event has passed */
export function prespawnThreads(spawn: SpawnThread, names: readonly ThreadName[]): SpawnThread {
  const prespawned = new Map<Worker, ThreadName>();
  for (const name of names) {
    const worker = spawn(name);
    prespawned.set(worker, name);
    for (const event of ['error', 'close']) worker.addEventListener(event, () => prespawned.delete(worker));
  }
  return name => {
    for (const [worker, workerName] of prespawned)
      if (workerName === name) {
        prespawned.delete(worker);
        return worker;
      }
    return spawn(name);
  };
}
