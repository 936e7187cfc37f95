#!/usr/bin/env bash
# Tests a profile service with the program `profile`: every sentence of the specification that the
# program can check. `mock-server mutants` runs it against services that break one sentence each:
#
#     mock-server mutants -- examples/scenarios/cli.sh
set -euo pipefail

# The settings of the user do not apply, except what `mock-server mutants` sets.
for name in $(compgen -e); do
    case $name in
    PROFILE_BASE_URL | PROFILE_API_KEY) ;;
    PROFILE_* | LC_* | CLICOLOR* | COLUMNS | LANG | LANGUAGE | LINES | NO_COLOR | TERM) unset "$name" ;;
    esac
done
export COLUMNS=100

PROFILE_CONFIG_DIR=$(mktemp -d)
export PROFILE_CONFIG_DIR PROFILE_NO_INPUT=1
trap 'rm -r "$PROFILE_CONFIG_DIR"; kill $(jobs -p) 2>/dev/null || true' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# Fails unless a command prints a text: is TEXT COMMAND…
is() {
    local expected=$1 found
    shift
    found=$("$@") || fail "failed: $*"
    [ "$found" = "$expected" ] || fail "$*: found $found, expected $expected"
}

# Fails unless a command has an exit code: exits CODE COMMAND…
exits() {
    local expected=$1 code=0
    shift
    "$@" >"$PROFILE_CONFIG_DIR/output" 2>&1 || code=$?
    [ "$code" = "$expected" ] || fail "$*: exit code $code, expected $expected: $(cat "$PROFILE_CONFIG_DIR/output")"
}

repeat() { printf "%*s" "$2" "" | sed "s/ /$1/g"; }
key() { sed -E "s/.*\"$1\":\"([^\"]*)\".*/\1/" <<<"$MOCK_SERVER_KEYS"; }
edit() { profile api me/profile -X PATCH "$@"; }
rejects() { exits 6 "$@"; }
limit() { profile set --help | sed -nE "s/.*--$1 .* up to ([0-9]+) ${2-characters}.*/\1/p" | grep . || fail "no limit of $1"; }

# Reading
is '["Demo Person",true,true,true,true]' profile show --jq \
    '[.display_name, (.email | test("@")), .api_visible, (.key.scopes | length > 0), (.key.rate_limit != null)] | tojson'
is true profile analytics --jq '.views > 0 and .likes > 0 and .social != null'
statistics='[.period.days, (.daily | length), .period.views == ([.daily[].views] | add),
    .total_views > .period.views, ([.daily[].date | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] | all),
    (.devices | . == null or ([.desktop, .mobile, .tablet] | all(type == "number"))),
    (.countries | . == null or (map(.code | type == "string") | all)),
    .devices != null, .countries != null] | tojson'
is '[30,30,true,true,true,true,true,true,true]' profile stats --jq "$statistics"
is '[5,5,true,true,true,true,true,true,true]' profile stats --days 5 --jq "$statistics"
is '[30,30,true,true,true,true,true,false,false]' profile stats grace --jq "$statistics"
own=$(profile stats demo --jq .total_views)
[ "$own" != "$(profile stats grace --jq .total_views)" ] || fail "demo and grace have the same views"
for invalid in demo/stats?days=0 demo/stats?days=366 grace/stats?days=31; do
    rejects profile api "users/$invalid"
done
is true profile badges --jq \
    'map(.kind == "auto" and (.color | test("^#[0-9a-f]{6}$")) and .description != null) | all'
is true profile api stats --jq '.data | [.users, .views, .links] | all(type == "number")'

# The profile and its limits
longest=$(repeat n "$(limit display-name)")
lines=$(repeat 'line\n' "$(limit bio lines)")
profile set --display-name "$longest" --bio "$lines" --text-color '#0000ff' >/dev/null
fields='[.display_name, .location, .accent_color, .text_color] | join(" ")'
is "$longest 127.0.0.1 #2563eb #0000ff" profile show --jq "$fields"
rejects edit -f bio=valid -f nickname=x
rejects edit -f "display_name=${longest}n"
rejects edit -f "bio=$(repeat b $(($(limit bio) + 1)))"
rejects edit -f "bio=$(repeat 'line\n' $(($(limit bio lines) + 1)))"
rejects edit -f "location=$(repeat l $(($(limit location) + 1)))"
rejects edit -f accent_color=ff8800
is "$longest 127.0.0.1 #2563eb #0000ff" profile show --jq "$fields"
is "$lines" profile show --jq .bio

# Links and posts
links='map(.id + " " + .title) | join(", ")'
before=$(profile link list --jq "$links")
profile link add Blog https://example.com/blog >/dev/null
id=$(profile link list --jq '.[-1].id')
is "$before, $id Blog" profile link list --jq "$links"
profile link edit "$id" --title Weblog >/dev/null
is "$before, $id Weblog" profile link list --jq "$links"
profile link delete "$id" --yes
is "$before" profile link list --jq "$links"
posts='map(.id + " " + .body) | join(", ")'
before=$(profile post list --jq "$posts")
profile post create Hello >/dev/null
id=$(profile post list --jq '.[-1].id')
is "$before, $id Hello" profile post list --jq "$posts"
profile post delete "$id" --yes
is "$before" profile post list --jq "$posts"

# Keys and scopes
PROFILE_API_KEY=unknown exits 4 profile show
PROFILE_API_KEY='' exits 4 profile api me
PROFILE_API_KEY=$(key none)
is 0 profile show --jq '.key.scopes | length'
exits 5 profile set --bio forbidden
exits 5 profile analytics
exits 5 profile link add Blog https://example.com
exits 5 profile post create forbidden

# Webhooks
webhook() { curl --silent --show-error --request "$1" "$MOCK_SERVER_CONTROL/worlds/default/webhook$2" \
    --header 'Content-Type: application/json' --data "$3"; }
export PROFILE_WEBHOOK_SECRET=whsec_test
profile webhook listen --max 1 --json >"$PROFILE_CONFIG_DIR/delivery" 2>"$PROFILE_CONFIG_DIR/log" &
until url=$(grep --only-matching 'http://.*' "$PROFILE_CONFIG_DIR/log"); do sleep 0.01; done
webhook PUT "" "{\"url\": \"$url\", \"secret\": \"whsec_test\"}" >/dev/null
webhook POST /emit '{"kind": "post.liked"}' | grep --quiet '"status":204' || fail "not verified"
wait
grep --quiet '"event":"post.liked"' "$PROFILE_CONFIG_DIR/delivery" || fail "another kind"
grep --quiet '"verified":true' "$PROFILE_CONFIG_DIR/delivery" || fail "not verified"
webhook PUT "" '{"script": "500", "secret": "whsec_test"}' >/dev/null
for failures in {1..10}; do
    webhook POST /emit '{"kind": "post.liked"}' >/dev/null
    active=$([ "$failures" -lt 10 ] && echo true || echo false)
    webhook GET "" '{}' | grep --quiet "\"active\":$active" || fail "not $active after $failures failures"
done
