declare module 'har-validator' {
  /** Resolves with the data. Rejects if it is not a HAR. */
  export function har<T>(data: T): Promise<T>;
}
