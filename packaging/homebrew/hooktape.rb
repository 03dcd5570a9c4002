# The formula of the tap; `bun run release brew` fills in the version, the URLs and the checksums.
class Hooktape < Formula
  desc "Self-hosted webhook recorder"
  homepage "{{homepage}}"
  version "{{version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{url darwin-arm64}}"
      sha256 "{{sha256 darwin-arm64}}"
    end
    on_intel do
      url "{{url darwin-x64}}"
      sha256 "{{sha256 darwin-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url linux-arm64}}"
      sha256 "{{sha256 linux-arm64}}"
    end
    on_intel do
      url "{{url linux-x64}}"
      sha256 "{{sha256 linux-x64}}"
    end
  end

  def install
    bin.install Dir["hooktape-*"].first => "hooktape"
    generate_completions_from_executable(bin/"hooktape", "completion", shells: [:bash, :zsh, :fish])
  end

  service do
    run [opt_bin/"hooktape", "serve"]
    environment_variables HOOKTAPE_DATA_DIR: var/"hooktape"
    keep_alive true
    log_path var/"log/hooktape.log"
    error_log_path var/"log/hooktape.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hooktape version")
  end
end
