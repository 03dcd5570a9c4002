-- wrk script: cycles through prepared requests. Arguments: a file with the requests, a file with their lengths.
local requests, at = {}, 0

function init(args)
  local data, lengths = assert(io.open(args[1], "rb")), assert(io.open(args[2], "r"))
  for length in lengths:lines() do
    requests[#requests + 1] = data:read(tonumber(length))
  end
  data:close()
  lengths:close()
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
