/* An HTTP response to a sender. */

export type Answer = {
  status: number;
  /** Names in lower case; without `content-length` and other framing. */
  headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  body: string;
};
