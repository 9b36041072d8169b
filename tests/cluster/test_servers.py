"""The servers that other tests rely on can be killed, paused and started again, and leave nothing behind."""

from contextlib import closing
from pathlib import Path

import obstore
import psycopg
import pytest

from tests.cluster import postgres, redis, s3


def test_postgres_keeps_its_rows_over_a_kill(tmp_path: Path) -> None:
    with postgres.running(tmp_path) as server:
        url = server.new_database()
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS number")
        server.kill()
        assert not server.answers()
        server.start()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT number FROM kept").fetchall() == [(1,)]
        server.stop()
        assert not server.is_alive


def test_redis_is_silent_while_it_is_paused(tmp_path: Path) -> None:
    with redis.running(tmp_path) as server:
        with closing(server.client()) as client:
            client.set("known", 1)
        server.pause()
        assert not server.answers()
        server.resume()
        server.wait_until_up()
        server.flush()
        with closing(server.client()) as client:
            assert client.get("known") is None


def test_the_bucket_takes_objects_and_refuses_wrong_keys(s3_server: s3.S3) -> None:
    obstore.put(s3_server.store(), "a/b", b"bytes")
    assert "a/b" in s3_server.object_keys()
    stranger = obstore.store.S3Store(
        s3.BUCKET,
        endpoint=s3_server.url,
        access_key_id=s3.ACCESS_KEY,
        secret_access_key="wrong",
        region=s3.REGION,
        client_options={"allow_http": True},
    )
    with pytest.raises(obstore.exceptions.BaseError):
        stranger.get("a/b")
    obstore.delete(s3_server.store(), "a/b")
