/* The choices and limits of an endpoint's access rules (guard). */

export const guardActions = ['record', 'drop'] as const;
export const tokenPlaces = ['header', 'query'] as const;
export const guardLimits = { methods: 20, cidrs: 100, name: 100, user: 100, password: 200, token: 500 };

/** Shown instead of a secret. Sending it back keeps the secret. */
export const shownSecret = '[set]';

/** The methods that node:http accepts: no others can arrive. */
export const httpMethods =
  'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'.split(
    ' ',
  );
