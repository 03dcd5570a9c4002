/* Corrects the generated document, so that client generators accept it. The order matters where a comment says so. */

import type { DeclaredOperation } from '../route-table.ts';
import { closedRequests, mediaTypes, namedSchemas } from './components.ts';
import type { Document, Refinement } from './document.ts';
import { jsonContent, nonEmptyParameters, responseSchemas } from './generated.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { commonResponses, responseDescriptions } from './responses.ts';
import { documentedSchemas, enums, integerFormats, maps, nullables, openObjects, tuples } from './shapes.ts';

const refinements = (declared: readonly DeclaredOperation[]): readonly Refinement[] => [
  jsonContent,
  responseSchemas,
  nonEmptyParameters,
  commonResponses,
  responseDescriptions(declared),
  mediaTypes,
  documentedSchemas,
  openObjects,
  maps,
  tuples,
  // Before `nullables`, which does not change enums.
  enums,
  nullables,
  integerFormats,
  closedRequests,
  namedSchemas,
  requestHeaders,
  responseHeaders,
];

export const refine = (document: Document, declared: readonly DeclaredOperation[]): Document =>
  refinements(declared).reduce((refined, refinement) => refinement(refined), document);
