// Creates, uses and deletes an endpoint with the generated client. Arguments: origin, API key, destination of a replay.

import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.api.EndpointsApi;
import org.openapitools.client.api.EventsApi;
import org.openapitools.client.api.KeysApi;
import org.openapitools.client.api.TeamApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

public class Flow {
  static final String BODY = "{\"type\":\"order.paid\",\"amount\":7}";

  public static void main(String[] arguments) throws Exception {
    String origin = arguments[0];
    ApiClient client = clientFor(origin, arguments[1]);
    EndpointsApi endpoints = new EndpointsApi(client);
    EventsApi events = new EventsApi(client);

    Account account = new AccountApi(client).getMe();
    recent("the account's createdAt", account.getCreatedAt());
    same("the plan", Account.PlanEnum.PRO, account.getPlan());
    same("the retention", 90L * 86_400_000L, new TeamApi(client).getTeam().getLimits().getRetentionMs());

    Endpoint endpoint = endpoints.createEndpoint(new EndpointName().name("from Java"));
    recent("the endpoint's createdAt", endpoint.getCreatedAt());
    same("lastReceivedAt before the first delivery", null, endpoint.getLastReceivedAt());
    deliver(endpoint.getUrl() + "/orders?shop=7&shop=8");

    EventPage page = events.listEvents(endpoint.getId(), 10, null, null, "order.paid", null);
    same("the events found", 1, page.getEvents().size());
    same("the cursor after the last page", null, page.getNextCursor());
    EventSummary summary = page.getEvents().get(0);
    recent("receivedAt", summary.getReceivedAt());
    same("the size", (long) BODY.length(), summary.getSize());
    same("the events after one delivery", 1L, endpoints.getEndpoint(endpoint.getId()).getEventCount());

    ReplayResult result = events.replayEvent(summary.getId(), new ReplayRequest().url(URI.create(arguments[2]))).getReplayResult();
    same("the status of the replay", 200, result.getStatus());
    same("the answer to the replay", "thanks", result.getResponsePreview());

    EventDetail detail = events.getEvent(summary.getId());
    same("the body", BODY, detail.getPayloadRaw());
    same("a header", "yes", detail.getHeaders().get("x-test"));
    same("the pairs of the query", List.of(List.of("shop", "7"), List.of("shop", "8")), detail.getParams());
    same("the signature", null, detail.getSignature());
    same("the replays", 1, detail.getReplays().size());
    recent("the replay's createdAt", detail.getReplays().get(0).getCreatedAt());
    File raw = events.getEventBody(summary.getId());
    same("the raw body", BODY, Files.readString(raw.toPath()));
    raw.delete();

    History history = endpoints.exportEndpoint(endpoint.getId(), null, null, null, null);
    recent("exportedAt", history.getExportedAt());
    same("the exported body", BODY, history.getEvents().get(0).getPayloadRaw());
    same("the buckets of the last day", 24, endpoints.getActivity(endpoint.getId()).getCounts().size());

    KeysApi keys = new KeysApi(client);
    CreatedApiKey second = keys.createKey(new ApiKeyInput().name("second"));
    same("the account of the second key", account.getId(), new AccountApi(clientFor(origin, second.getKey())).getMe().getId());
    same("the keys", 2, keys.listKeys().getKeys().size());
    same("revoking", true, keys.revokeKey(second.getId()).getOk());
    refused("a revoked key", 401, () -> new AccountApi(clientFor(origin, second.getKey())).getMe());

    same("renaming", "renamed", endpoints.renameEndpoint(endpoint.getId(), new EndpointChange().name("renamed")).getName());
    same("deleting", true, endpoints.deleteEndpoint(endpoint.getId(), null).getOk());
    refused("an event of a deleted endpoint", 404, () -> events.getEvent(summary.getId()));
  }

  interface Call {
    void run() throws ApiException;
  }

  static ApiClient clientFor(String origin, String key) {
    ApiClient client = new ApiClient();
    client.setBasePath(origin);
    ((HttpBearerAuth) client.getAuthentication("bearer")).setBearerToken(key);
    return client;
  }

  static void deliver(String url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url))
        .header("Content-Type", "application/json")
        .header("X-Test", "yes")
        .POST(HttpRequest.BodyPublishers.ofString(BODY))
        .build();
    HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    same("the answer to the delivery", 200, response.statusCode());
  }

  static void refused(String what, int status, Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      same(what, status, error.getCode());
      return;
    }
    throw new IllegalStateException(what + " was not refused");
  }

  static void recent(String what, Long epochMs) {
    if (epochMs == null || Math.abs(System.currentTimeMillis() - epochMs) > 3_600_000L)
      throw new IllegalStateException(what + " is not a time of the last hour: " + epochMs);
  }

  static void same(String what, Object expected, Object found) {
    if (!Objects.equals(expected, found))
      throw new IllegalStateException(what + ": expected " + expected + ", found " + found);
  }
}
