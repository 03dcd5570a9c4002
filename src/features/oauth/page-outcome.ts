/* What a page of the authorization server answers besides its own content. */

export type ErrorPage = { kind: 'error_page'; reason: string; status: number; headers: Record<string, string> };
export type PageOutcome = ErrorPage | { kind: 'sign_in' } | { kind: 'redirect'; location: string };

/** The user who is signed in to the dashboard in the requesting browser. */
export type SignedInUser = { accountId: string; email: string; sessionId: string };

export const errorPage = (reason: string, status = 400, headers: Record<string, string> = {}): ErrorPage => ({
  kind: 'error_page',
  reason,
  status,
  headers,
});
