/* Offers to look for the words of a filter in paths, too, when nothing was found. */

import { Link } from '../../kit/navigation.tsx';
import { filterQuery } from '../filter/filter-url.ts';
import { withPaths } from './search-terms.ts';

export function SearchPaths({ endpointId, where }: { endpointId: string; where: string }) {
  const wider = withPaths(where);
  if (wider === undefined) return null;
  return (
    <Link class="button plain" to={`/app/endpoints/${endpointId}${filterQuery(wider)}`}>
      Search paths, too
    </Link>
  );
}
