/* What a sender is told, before it is put on a wire. */

export type Answer = {
  status: number;
  /** Names in lower case; not those that frame the message. */
  headers: Readonly<Record<string, string>>;
  /** Empty for none. */
  body: string;
};
