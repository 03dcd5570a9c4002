/* What a tool knows of the request that calls it. */
import type { Principal } from '../../core/access/principal.ts';

/** The request that a tool is called in. */
export type ToolContext = {
  principal: Principal;
  /** Authenticates the request again; undefined when its credentials are no longer valid. */
  recheck: () => Promise<Principal | undefined>;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
};
