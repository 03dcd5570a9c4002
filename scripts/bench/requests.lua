-- wrk script: cycles through prepared requests. Arguments: the file of requests, the file of their lengths and, for a burst, the
-- number of responses and of connections. After that number of responses it prints how long they took, and continues until
-- it is interrupted.
local requests, at = {}, 0
local sent, target, startedAt, inFlight = -1, math.huge, 0, 64

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long nanoseconds; } timestamp; int clock_gettime(int, timestamp *);")
local stamp = ffi.new("timestamp")

local function now()
  ffi.C.clock_gettime(1, stamp)
  return tonumber(stamp.seconds) + tonumber(stamp.nanoseconds) / 1e9
end

function init(args)
  local data, lengths = assert(io.open(args[1], "rb")), assert(io.open(args[2], "r"))
  for length in lengths:lines() do
    requests[#requests + 1] = data:read(tonumber(length))
  end
  data:close()
  lengths:close()
  if args[3] then target, inFlight = tonumber(args[3]), tonumber(args[4]) end
end

function request()
  -- `sent` starts at -1, because wrk calls this once before it starts and does not send that request.
  if sent == 0 then startedAt = now() end
  -- Each connection waits for its response, so all but the last `inFlight` requests have been answered.
  if sent == target + inFlight then
    io.write(string.format("BURST %f\n", now() - startedAt))
    io.flush()
  end
  sent = sent + 1
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
