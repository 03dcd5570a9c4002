/* From what the routes say of themselves to a document that clients are generated from. The order matters where it is said. */
import { closedRequests, mediaTypes, namedSchemas } from './components.ts';
import type { Document, Refinement } from './document.ts';
import { examples } from './examples.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { commonResponses, responseDescriptions } from './responses.ts';
import { describedSchemas, enums, integerFormats, maps, nullables, openObjects, tuples } from './shapes.ts';
import { describedTags } from './tags.ts';

const refinements: readonly Refinement[] = [
  commonResponses,
  responseDescriptions,
  mediaTypes,
  describedSchemas,
  openObjects,
  maps,
  tuples,
  // `nullables` leaves enums alone, so it must see them.
  enums,
  nullables,
  integerFormats,
  closedRequests,
  namedSchemas,
  requestHeaders,
  responseHeaders,
  describedTags,
  // They are found by the names that `namedSchemas` gives.
  examples,
];

export const refine: Refinement = (document: Document) =>
  refinements.reduce((refined, refinement) => refinement(refined), document);
