/* Who is signed in and which endpoints there are: what nearly every page needs, loaded once. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Endpoint, Session } from '../wire.ts';

export type Workspace = {
  session: Session;
  /** Undefined while they load for the first time. */
  endpoints: Endpoint[] | undefined;
  endpointsProblem: string;
  reloadEndpoints: () => void;
  setEndpoints: (endpoints: Endpoint[]) => void;
};

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

/** Only below a signed-in page. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error('no one is signed in here');
  return workspace;
}
