/*
 * Discovery: the authorization server metadata (RFC 8414), the protected resource metadata under each of the three resource
 * identifiers (RFC 9728), and the challenge that points to it. Built from the configured origin, never from a request.
 */
import { authMethods } from './client-auth.ts';
import { offlineScope, webhooksScope } from './scopes.ts';

export const paths = {
  authorize: '/authorize',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
  jwks: '/jwks',
  server: '/.well-known/oauth-authorization-server',
  resource: '/.well-known/oauth-protected-resource',
} as const;

export function serverMetadata(options: {
  baseUrl: string;
  resources: readonly string[];
  canRegister: boolean;
  supportsDocuments: boolean;
}): Record<string, unknown> {
  const { baseUrl, resources, canRegister, supportsDocuments } = options;
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + paths.authorize,
    token_endpoint: baseUrl + paths.token,
    ...(canRegister && { registration_endpoint: baseUrl + paths.register }),
    revocation_endpoint: baseUrl + paths.revoke,
    jwks_uri: baseUrl + paths.jwks,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    scopes_supported: [webhooksScope, offlineScope],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: supportsDocuments,
    protected_resources: resources,
    service_documentation: `${baseUrl}/docs`,
  };
}

export const resourceMetadata = (resource: string, issuers: readonly string[]): Record<string, unknown> => ({
  resource,
  authorization_servers: issuers,
  scopes_supported: [webhooksScope],
  bearer_methods_supported: ['header'],
  resource_name: 'Hooktape',
});

/** The value of `WWW-Authenticate` (RFC 9728 section 5.1). @param path of the refused request */
export function challengeFor(baseUrl: string, path: string, problem?: 'invalid_token' | 'insufficient_scope'): string {
  const suffix = path === '/mcp' ? '/mcp' : '/api';
  const parameters = [
    'realm="hooktape"',
    ...(problem ? [`error="${problem}"`] : []),
    `scope="${webhooksScope}"`,
    `resource_metadata="${baseUrl}${paths.resource}${suffix}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}
